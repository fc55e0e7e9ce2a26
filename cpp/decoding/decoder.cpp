#include "decoding/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "base/parallel.hpp"
#include "base/words.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/kbest.hpp"

namespace tunesmith {
namespace {

// Derivations among which k different strings are first searched, for each of the k.
constexpr std::size_t distinct_margin = 20;

// Scores of search are floats; sums of features under weights up to this stay finite.
constexpr double largest_weight = 1e20;

void check_weight(double weight) {
  if (!std::isfinite(weight)) throw Error("a weight is not a finite number");
  if (std::abs(weight) > largest_weight)
    throw Error("a weight is beyond ±1e20, which is too large to search with");
}

}  // namespace

Decoder::Worker::Worker(const DecoderModel& model, const DecoderOptions& options, bool profiled)
    : search(model.search->make(model, options, profiled ? &profile : nullptr)) {}

Decoder::Decoder(DecoderModel model, const DecoderOptions& options)
    : model_(std::move(model)), options_(options), scorer_(model_) {
  options_.complete(model_.search->settings, model_.search->adjective);
  const std::size_t rows = model_.rules.rules() + static_cast<std::size_t>(SpecialRule::count);
  if (model_.matrix->rows() != rows)
    throw Error("the feature matrix has " + std::to_string(model_.matrix->rows()) + " rows, expected " +
                std::to_string(rows) + ": it was made from another rule table");
  for (const auto& feature : model_.features)
    sparse_.push_back({feature->name(), dynamic_cast<SparseFeature*>(feature.get())});
  for (const auto& feature : model_.span_features) sparse_.push_back({feature->name(), feature.get()});
  for (const Sparse& sparse : sparse_) has_sparse_ |= sparse.names != nullptr;
  model_.search->index(model_);
  set_weights({});
}

void Decoder::weights_changed() {
  for (const auto& feature : model_.features) feature->set_weights(model_.weights);
  for (const auto& feature : model_.span_features) feature->set_weights(model_.weights);
  ++model_.epoch;
}

void Decoder::set_weights(std::vector<double> weights) {
  for (const double weight : weights) check_weight(weight);
  weights.resize(std::max(weights.size(), model_.matrix->columns()));
  model_.weights = std::move(weights);
  weights_changed();
}

void Decoder::update_weights(std::span<const std::uint32_t> ids, std::span<const double> values) {
  if (ids.size() != values.size()) throw Error("there must be one value for every feature");
  for (const double value : values) check_weight(value);
  std::size_t size = model_.weights.size();
  for (const std::uint32_t id : ids) size = std::max<std::size_t>(size, std::size_t{id} + 1);
  model_.weights.resize(size);
  for (std::size_t i = 0; i < ids.size(); ++i) model_.weights[ids[i]] = values[i];
  weights_changed();
}

double Decoder::weight_of(const SparseKey& key) const {
  const std::uint32_t id = key.feature == SparseKey::of_rules ? static_cast<std::uint32_t>(key.key)
                                                              : sparse_[key.feature].names->find_number(key.key);
  return id < model_.weights.size() ? model_.weights[id] : 0.0;
}

// The graph of the wanted edges, and its best derivations.
void Decoder::make_lists(const Chart& chart, SentenceRows& rows, const DecodeRequest& request,
                         const ChartMargins& margins, Decoded& decoded) const {
  decoded.sparse_keys.clear();
  decoded.local.clear();
  const GraphRequest wanted{!chart.keeps_all(), has_sparse_ || !rows.empty(), &margins};
  decoded.graph = to_graph(chart, model_, scorer_, rows, wanted, decoded.sparse_keys);
  for (const Application& application : decoded.graph.applications)
    decoded.local.push_back(model_.local_score(application.rule));
  std::vector<double> of_key;  // sparse features may have no numbers yet: their weights are found by keys
  for (const SparseKey& key : decoded.sparse_keys) of_key.push_back(weight_of(key));
  decoded.derivations = k_best(decoded.graph, edge_scores(decoded.graph, decoded.local, model_.weights, of_key),
                               {.k = request.k, .distinct = request.distinct});
}

// The words of the line; after them the words of forced phrases.
Sentence Decoder::read_line(std::string_view line, Decoded& decoded) const {
  Sentence sentence;
  sentence.label = label_;
  std::vector<std::string_view> source;
  for_each_word(line, [&](std::string_view word) { source.push_back(word); });
  decoded.line = line;
  // A word that they bring along twice is one word for lists of different strings.
  std::unordered_map<std::string_view, std::int32_t> brought;
  for (const ForcedPhrases::Match& match : forced_.find(source)) {
    ForcedSpan span{static_cast<std::uint16_t>(match.begin), static_cast<std::uint16_t>(match.end), {}};
    for (const std::string& word : match.phrase->target) {
      if (const auto number = model_.rules.target_words->find(word); number && *number > 2) {
        span.target.push_back(static_cast<std::int32_t>(*number));
      } else {
        const auto next = narrow<std::int32_t>(model_.target_vocabulary() + source.size() + brought.size());
        const auto [found, is_new] = brought.try_emplace(word, next);
        if (is_new) decoded.line.append(" ").append(word);
        span.target.push_back(found->second);
      }
    }
    sentence.forced.push_back(std::move(span));
  }
  for_each_word(decoded.line, [&](std::string_view word) {
    const auto begin = narrow<std::uint32_t>(word.data() - decoded.line.data(), "bytes of a line");
    decoded.words.emplace_back(begin, begin + narrow<std::uint32_t>(word.size()));
    sentence.text.push_back(word);
    if (sentence.words.size() < source.size())
      sentence.words.push_back(static_cast<std::uint32_t>(model_.rules.source_words->find(word).value_or(0)));
  });
  for (const std::uint32_t word : sentence.words)
    if (word != Vocabulary::unknown) sentence.known.push_back(word);
  std::ranges::sort(sentence.known);
  sentence.known.erase(std::unique(sentence.known.begin(), sentence.known.end()), sentence.known.end());
  return sentence;
}

void Decoder::set_forced(std::vector<ForcedPhrase> phrases) {
  if (!phrases.empty() && !model_.search->forces_phrases)
    throw Error("phrases cannot be forced in " + std::string(model_.search->adjective) + " search");
  forced_ = ForcedPhrases(std::move(phrases));
}

Decoded Decoder::decode_line(Worker& worker, std::string_view line, const DecodeRequest& request,
                             const OwnPair* left_out, const std::atomic<bool>* stop) const {
  Decoded decoded;
  const Sentence sentence = read_line(line, decoded);
  const Keep keep = request.graph ? Keep::graph : request.k > 1 ? Keep::lists : Keep::best;
  SentenceRows rows(model_, sentence, worker.memories, left_out, profiled_ ? &worker.profile : nullptr);
  const Chart& chart = worker.search->run(rows, keep, stop);
  const Stopwatch watch(profiled_ ? &worker.profile.lists : nullptr);
  decoded.pops = chart.pops;
  decoded.edges = chart.edges.size();
  decoded.bytes = chart.bytes();
  decoded.limited = chart.limited || chart.too_long;
  decoded.timed_out = chart.timed_out;
  ChartMargins wanted;
  if (keep == Keep::lists) wanted = margins(chart, request.distinct ? distinct_margin * request.k : request.k);
  make_lists(chart, rows, request, wanted, decoded);
  // Different strings may need more derivations than were thought of: then all of the chart.
  const Derivations& list = decoded.derivations;
  const bool found = list.size() == request.k && !list.cut && list.scores.back() >= wanted.covers;
  if (!wanted.outside.empty() && !found) make_lists(chart, rows, request, {}, decoded);
  if (keep == Keep::lists) keep_listed(decoded);
  return decoded;
}

void Decoder::check_left_out(const DecodeRequest& request, std::size_t lines) const {
  if (request.left_out == nullptr) return;
  const LeaveOneOut& all = *request.left_out;
  if (all.joint_counts.size() != model_.rules.rules() || all.source_counts.size() != model_.rules.sides())
    throw Error("the leave-one-out counts are those of another rule table");
  for (const std::uint32_t column : all.columns)
    if (column != LeaveOneOut::no_column && column >= model_.matrix->columns())
      throw Error("the leave-one-out counts change a feature that rules do not have");
  if (request.left_out_pairs.size() != lines) throw Error("there must be a sentence pair for every line");
  for (const std::int64_t pair : request.left_out_pairs)
    if (pair < 0 || static_cast<std::size_t>(pair) >= all.pairs())
      throw Error("there is no sentence pair " + std::to_string(pair));
}

std::vector<Decoded> Decoder::decode(std::span<const std::string_view> lines, const DecodeRequest& request,
                                     int threads, const std::atomic<bool>* stop) {
  Decoder* const alone = this;
  return decode({&alone, 1}, {}, lines, request, threads, stop);
}

std::vector<Decoded> Decoder::decode(std::span<Decoder* const> decoders, std::span<const std::int64_t> which,
                                     std::span<const std::string_view> lines, const DecodeRequest& request,
                                     int threads, const std::atomic<bool>* stop) {
  if (request.k == 0) throw Error("k must be 1 or more");
  decoders.front()->check_left_out(request, lines.size());
  if (decoders.size() > 1 && which.size() != lines.size()) throw Error("there must be a domain for every line");
  for (const std::int64_t number : which)
    if (number < 0 || static_cast<std::size_t>(number) >= decoders.size())
      throw Error("there is no domain " + std::to_string(number));
  std::vector<Decoded> out(lines.size());
  const auto workers = std::min(static_cast<std::size_t>(std::max(1, threads)), lines.size());
  std::atomic<std::size_t> next = 0;
  for (Decoder* const each : decoders)
    while (each->workers_.size() < workers)
      each->workers_.push_back(std::make_unique<Worker>(each->model_, each->options_, each->profiled_));
  // Whoever is free takes the next line: sentences differ in length.
  parallel_ranges(workers, threads, [&](std::size_t begin, std::size_t end) {
    OwnPair pair;
    for (std::size_t worker = begin; worker < end; ++worker)
      for (std::size_t at = next++; at < lines.size() && (stop == nullptr || !*stop); at = next++) {
        if (request.left_out != nullptr)
          pair.start(*request.left_out, static_cast<std::size_t>(request.left_out_pairs[at]));
        const Decoder& decoder = *decoders[which.empty() ? 0 : static_cast<std::size_t>(which[at])];
        out[at] = decoder.decode_line(*decoder.workers_[worker], lines[at], request,
                                      request.left_out != nullptr ? &pair : nullptr, stop);
      }
  });
  return out;
}

void Decoder::start_profile() {
  profiled_ = true;
  workers_.clear();
}

std::vector<std::string> Decoder::feature_names() const {
  std::vector<std::string> names;
  for (const Sparse& feature : sparse_) names.emplace_back(feature.name);
  return names;
}

SearchProfile Decoder::profile() const {
  SearchProfile sum;
  sum.features.resize(sparse_.size());
  for (const auto& worker : workers_) sum.add(worker->profile);
  return sum;
}

std::vector<std::uint32_t> Decoder::number_sparse(std::span<Decoded> results, FeatureIndex& index, bool grow) {
  std::vector<std::uint32_t> met;
  std::unordered_set<std::uint32_t> seen;
  for (Decoded& decoded : results) {
    std::vector<std::uint32_t> ids;
    for (const SparseKey& sparse : decoded.sparse_keys) {
      if (sparse.feature == SparseKey::of_rules) {
        ids.push_back(static_cast<std::uint32_t>(sparse.key));
        continue;
      }
      const Sparse& feature = sparse_[sparse.feature];
      std::uint32_t id = feature.names->find_number(sparse.key);
      if (id == NumberTable::none && grow) {
        const std::string detail = feature.names->detail(sparse.key);
        id = index.add(std::string(feature.name) + (detail.empty() ? "" : ":") + detail);
        feature.names->number(sparse.key, id);
      }
      ids.push_back(id);
      if (id != NumberTable::none && seen.insert(id).second) met.push_back(id);
    }
    replace_sparse_ids(decoded.graph, ids);
    decoded.sparse_keys.clear();
  }
  return met;
}

template <class Use>
bool Decoder::find_feature(std::string_view name, Use use) const {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string_view detail = name.substr(std::min(colon + 1, name.size()));
  return std::ranges::any_of(sparse_, [&](const Sparse& feature) {
    return feature.names != nullptr && name.substr(0, colon) == feature.name && use(*feature.names, detail);
  });
}

bool Decoder::can_have(std::string_view name) const {
  return find_feature(name,
                      [](const SparseNames& names, std::string_view detail) { return names.can_have(detail); });
}

void Decoder::learn_names(const FeatureIndex& index, std::uint32_t first) {
  for (std::uint32_t id = first; id < index.size(); ++id)
    find_feature(index.name(id), [&](SparseNames& names, std::string_view detail) {
      const auto key = names.learn(detail);
      if (key) names.number(*key, id);
      return key.has_value();
    });
}

}  // namespace tunesmith
