// What searches have in common that append: stacks of hypotheses by the number of covered words, each filled by
// cube pruning (Huang and Chiang 2007, section 4).
#pragma once

#include <cstddef>
#include <vector>

#include "decoding/cube_queue.hpp"
#include "decoding/hypothesis_stack.hpp"
#include "decoding/search.hpp"
#include "decoding/search_budget.hpp"
#include "decoding/search_profile.hpp"
#include "features/search/covered_words.hpp"

namespace tunesmith {

// Where a hypothesis stands. key: what it has in common with others that can be extended by the same rules at the
// same places; future: what the words that are still to be translated are expected to score.
struct StackPlace {
  std::uint64_t key;
  float future;
};

// Kind is the search, which derives from this class. It offers:
//   search(keep): prepares the sentence and calls search_stacks;
//   extend_groups(stack): calls add_cube for everything that the groups of a complete stack can be extended by;
//   place_after(cube, option): the place of a hypothesis that an edge of the cube makes;
//   covered(cube), covered(group): the words in front of an edge, or null where features do not see them;
//   joined(cube): what an edge scores in addition to its rule;
//   bytes_beside(): bytes of the sentence besides chart and cubes.
// Cube is the options of one source side × the hypotheses of one group, each best first:
//   origin: what its best corner promises, up to the end of the sentence;
//   future: what is expected of the words that are still to be translated after an edge;
//   tails: the hypotheses;   options(), count(): the options;   begin(), end(): the source words of an edge;
//   row_score(rows, option): what the rows of the sentence score for an option.
template <class Kind, class Cube>
class StackSearch : public Search {
 public:
  const Chart& run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop = nullptr) final {
    budget_.start(rows.sentence(), stop);
    const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->search);
    rows_ = &rows;
    targets_.refresh(rows);
    kind().search(keep);
    return chart_;
  }

 protected:
  // Model and options outlive the search; so does `profile`, where times are added unless it is null.
  // diversity: hypotheses that each cube begins with.
  StackSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile,
              std::uint32_t diversity)
      : model_(model),
        targets_(model, options, profile),
        chart_(EdgeScorer(model).dense_count()),
        options_(options),
        profile_(profile),
        budget_(options),
        stack_limit_(static_cast<std::uint32_t>(options.of("stack_limit"))),
        diversity_(diversity),
        scorer_(model),
        stack_(scorer_),
        dense_(scorer_.dense_count()) {}

  // Fills all stacks, from the hypothesis of <s> at its place to the one of </s>.
  // reach: how many stacks after its own an extension may lead to.
  void search_stacks(StackPlace begin, std::size_t reach) {
    cubes_.resize(reach + 1);
    for (std::vector<Cube>& cubes : cubes_) cubes.clear();
    groups_.clear();
    begin_sentence(begin);
    for (std::size_t stack = 1; stack <= rows_->sentence().size(); ++stack) {
      kind().extend_groups(stack - 1);
      fill(stack);
    }
    end_sentence();
  }

  // There may be many more cubes than a stack can reach; so few are held at any time.
  void add_cube(std::size_t stack, Cube cube) {
    std::vector<Cube>& cubes = cubes_of(stack);
    const std::size_t most = DecoderOptions::most_scored(options_.pop_limit);
    if (cubes.size() >= 2 * most) CubeQueue::keep_best(cubes, most);
    cube.origin = expect(cube, 0, 0);
    cubes.push_back(cube);
  }

  static constexpr std::int32_t one_tail[] = {-1};  // target symbols of an edge that adds no word of its own
  const Sentence& sentence() const { return rows_->sentence(); }
  SentenceRows& rows() { return *rows_; }

  const DecoderModel& model_;
  TargetOptions targets_;
  Chart chart_;
  std::vector<HypothesisGroup> groups_;  // of the stack that was filled last

 private:
  Kind& kind() { return static_cast<Kind&>(*this); }
  const Kind& kind() const { return static_cast<const Kind&>(*this); }
  std::vector<Cube>& cubes_of(std::size_t stack) { return cubes_[stack % cubes_.size()]; }
  static const CoveredWords* address(const CoveredWords& words) { return &words; }
  static const CoveredWords* address(std::nullptr_t) { return nullptr; }

  // Sizes, not what vectors have room for, which depends on the sentences before.
  bool exhausted(std::size_t stack) {
    std::uint64_t cubes = 0;
    for (const std::vector<Cube>& of_stack : cubes_) cubes += of_stack.size();
    chart_.beside = cubes * sizeof(Cube) + kind().bytes_beside();
    return budget_.exhausted(chart_, stack);
  }

  // Adds the score of the features across rules to an edge of [begin, end); its state.
  std::byte* score_edge(ChartEdge& edge, std::uint16_t begin, std::uint16_t end, const std::byte* tail,
                        const CoveredWords* covered) {
    std::byte* const state = chart_.arena.take(scorer_.state_bytes());
    const Application application{edge.option->rule, begin, end};
    const std::byte* tails[2] = {tail, nullptr};
    edge.score +=
        scorer_.across(*rows_, application, *edge.option, tails, state, dense_.data(), profile_, covered);
    ++chart_.pops;
    return state;
  }

  void begin_sentence(StackPlace place) {
    const TargetOption& option = targets_.special(sentence(), Join::begin, {}, chart_.arena);
    ChartEdge edge{&option, {0, 0}, option.local, ChartEdge::none};
    const auto covered = kind().covered(HypothesisGroup{place.key, {}});
    edge.score += rows_->score({option.rule, 0, 0}, option);
    const std::byte* const state = score_edge(edge, 0, 0, nullptr, address(covered));
    stack_.start(chart_, 1);
    stack_.add(edge, dense_.data(), state, place.key, place.future);
    stack_.finish(1, groups_);
  }

  float expect(const Cube& cube, std::uint32_t option, std::uint32_t tail) {
    const Hypothesis& hypothesis = chart_.hypotheses[cube.tails.begin + tail];
    TargetOption& chosen = cube.options()[option];
    if (scorer_.places_are_prepared()) targets_.prepare(chosen);
    const auto covered = kind().covered(cube);
    return hypothesis.score + chosen.estimate + cube.future + cube.row_score(*rows_, option) +
           scorer_.place_score(*rows_, {chosen.rule, cube.begin(), cube.end()}, chosen, hypothesis.state,
                               address(covered));
  }

  float score(const CubeCorner& corner, Cube& cube) {
    TargetOption& option = cube.options()[corner.option];
    targets_.prepare(option);
    const HypothesisId tail = cube.tails.begin + corner.tail;
    const Hypothesis& hypothesis = chart_.hypotheses[tail];
    ChartEdge edge{&option, {tail, 0}, hypothesis.score + option.local, ChartEdge::none};
    edge.score += kind().joined(cube) + cube.row_score(*rows_, corner.option);
    edge.set_span(cube.begin(), cube.end());
    std::byte* state;
    {
      const auto covered = kind().covered(cube);  // place_after may move the words
      state = score_edge(edge, cube.begin(), cube.end(), hypothesis.state, address(covered));
    }
    const StackPlace place = kind().place_after(cube, option);
    if (!stack_.add(edge, dense_.data(), state, place.key, place.future)) chart_.arena.untake(state);
    return edge.score + place.future;
  }

  void fill(std::size_t stack) {
    std::vector<Cube>& cubes = cubes_of(stack);
    const bool poor = exhausted(stack);
    const std::uint32_t limit = poor ? 1 : options_.pop_limit, most = DecoderOptions::most_scored(limit);
    CubeQueue::keep_best(cubes, most);
    stack_.start(chart_, limit);
    queue_.explore(
        cubes, limit, most, diversity_, [](const Cube& cube) { return cube.count(); },
        [this](const Cube& cube, std::uint32_t option, std::uint32_t tail) { return expect(cube, option, tail); },
        [this](const CubeCorner& corner, Cube& cube) { return score(corner, cube); });
    groups_.clear();
    stack_.finish(poor ? 1 : stack_limit_, groups_);
    cubes.clear();
  }

  // All translations of the whole sentence are one hypothesis: nothing comes after them.
  void end_sentence() {
    const TargetOption& option = targets_.special(sentence(), Join::end, one_tail, chart_.arena);
    const auto words = static_cast<std::uint16_t>(sentence().size());
    goal_.start(chart_, 1);
    for (const HypothesisGroup& group : groups_)
      for (HypothesisId tail = group.hypotheses.begin; tail < group.hypotheses.end; ++tail) {
        ChartEdge edge{&option, {tail, 0}, chart_.hypotheses[tail].score + option.local, ChartEdge::none};
        edge.set_span(0, words);
        edge.score += rows_->score({option.rule, 0, words}, option);
        const auto covered = kind().covered(group);
        std::byte* const state = score_edge(edge, 0, words, chart_.hypotheses[tail].state, address(covered));
        if (!goal_.add(edge, dense_.data(), state, 0, [](const Hypothesis&, std::uint32_t) { return true; }))
          chart_.arena.untake(state);
      }
    chart_.goal = goal_.finish();
  }

  const DecoderOptions& options_;
  SearchProfile* profile_;
  SearchBudget budget_;
  std::uint32_t stack_limit_, diversity_;
  EdgeScorer scorer_;
  HypothesisStack stack_;
  Recombination goal_;
  std::vector<std::vector<Cube>> cubes_;  // by the number of covered words, modulo how far extensions lead
  CubeQueue queue_;
  std::vector<float> dense_;
  SentenceRows* rows_ = nullptr;
};

}  // namespace tunesmith
