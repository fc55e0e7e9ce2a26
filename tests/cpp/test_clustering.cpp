#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/block_workers.hpp"
#include "check.hpp"
#include "clustering/bigrams.hpp"
#include "clustering/exchange.hpp"
#include "clustering/likelihood.hpp"
#include "clustering/predictive.hpp"
#include "clustering/two_sided.hpp"

namespace tunesmith {
namespace {

// A text of 600 words, more than two blocks; neighbours depend on each other.
Bigrams made_up() {
  BigramCounter counter;
  std::uint64_t state = 7;
  for (int line = 0; line < 400; ++line) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t word = (state >> 33) % 600;
      text += " w" + std::to_string(i % 2 == 0 ? word : word * word / 600);
    }
    const std::string_view view = text;
    counter.add({&view, 1});
  }
  return counter.choose(1);
}

std::unique_ptr<ClassObjective> objective(const Bigrams& bigrams, int kind, std::size_t classes) {
  if (kind == 2) return std::make_unique<TwoSidedObjective>(bigrams, classes);
  return std::make_unique<PredictiveObjective>(bigrams, classes, kind == 1);
}

TEST(exchange_is_the_same_for_any_threads_and_never_falls) {
  const Bigrams bigrams = made_up();
  std::vector<ClassId> start(bigrams.size());
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<ClassId>(i % 11);
  const std::atomic<bool> stop = false;
  for (int kind = 0; kind < 3; ++kind) {
    Exchange alone(objective(bigrams, kind, 11), start, {}), together(objective(bigrams, kind, 11), start, {});
    for (int pass = 0; pass < 4; ++pass) {
      const double before = alone.objective();
      CHECK(alone.pass(1, stop) == together.pass(4, stop));
      CHECK(alone.objective() >= before);
      CHECK(alone.objective() == together.objective());
      CHECK(std::abs(alone.objective() - alone.from_scratch()) < 1e-9 * std::abs(alone.objective()));
    }
    CHECK(alone.classes() == together.classes());
  }
}

TEST(scores_of_all_classes_are_those_of_each) {
  const Bigrams bigrams = made_up();
  for (int kind = 0; kind < 3; ++kind) {
    const auto scored = objective(bigrams, kind, 7);
    for (std::size_t i = 0; i < bigrams.size(); i += 2) scored->set_class(i, static_cast<ClassId>(i % 7));
    ScoringSpace space, other;
    for (std::size_t word = 0; word < bigrams.size(); word += 37) {
      scored->score(word, space);
      const double before = scored->from_scratch();
      const ClassId own = scored->classes()[word];
      scored->set_class(word, no_class);
      const double without = scored->from_scratch();
      for (ClassId to = 0; to < 7; ++to) {
        const double gain = space.gains[static_cast<std::size_t>(to)];
        CHECK(std::abs(gain - scored->score_in(word, to, other)) < 1e-8);
        scored->set_class(word, to);
        CHECK(std::abs(scored->from_scratch() - without - gain) < 1e-6);
        CHECK(std::abs(gain - scored->score_in(word, to, other)) < 1e-8);
        scored->set_class(word, no_class);
      }
      scored->set_class(word, own);
      CHECK(scored->from_scratch() == before);  // whole numbers: nothing is lost
    }
  }
}

TEST(a_move_is_the_difference_of_two_scores_and_a_change_of_class) {
  const Bigrams bigrams = made_up();
  for (int kind = 0; kind < 3; ++kind) {
    for (const int classes : {3, 7, 300}) {  // rows of all classes, and of few cells
      const auto moved = objective(bigrams, kind, static_cast<std::size_t>(classes));
      const auto twin = objective(bigrams, kind, static_cast<std::size_t>(classes));
      for (std::size_t i = 0; i < bigrams.size(); ++i)
        for (ClassObjective* const each : {moved.get(), twin.get()})
          each->set_class(i, static_cast<ClassId>(i % static_cast<std::size_t>(classes)));
      ScoringSpace space, other;
      std::uint64_t state = 5;
      for (int step = 0; step < 3000; ++step) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::size_t word = (state >> 33) % bigrams.size();
        const ClassId own = moved->classes()[word];
        const auto to = static_cast<ClassId>((state >> 17) % static_cast<std::uint64_t>(classes));
        if (to == own) continue;
        const double gain = twin->score_in(word, to, other) - twin->score_in(word, own, other);
        if (step % 4 == 0) {
          CHECK(moved->move(word, to, gain, space) == 0);
        } else {
          CHECK(moved->move(word, to, gain - 1, space) == gain);
          twin->set_class(word, to);
        }
        CHECK(moved->classes()[word] == twin->classes()[word]);
      }
      for (std::size_t word = 0; word < bigrams.size(); word += 7) {
        moved->score(word, space);
        twin->score(word, other);
        CHECK(space.gains.size() == other.gains.size());
        for (std::size_t c = 0; c < space.gains.size(); ++c) CHECK(space.gains[c] == other.gains[c]);
      }
    }
  }
}

TEST(a_stopped_pass_ends) {
  const Bigrams bigrams = made_up();
  const std::atomic<bool> stop = true;
  Exchange exchange(objective(bigrams, 0, 3), std::vector<ClassId>(bigrams.size()), {});
  CHECK(exchange.pass(2, stop) == 0);
}

TEST(block_workers_do_every_item_once) {
  std::vector<std::atomic<int>> done(1000);
  std::size_t begin = 0;
  {
    BlockWorkers workers(5, [&](std::size_t item, std::size_t) { ++done[begin + item]; });
    for (std::size_t size = 1; begin + size <= done.size(); begin += size, size = size % 7 + 1) workers.run(size);
    workers.run(0);
  }
  for (std::size_t i = 0; i < begin; ++i) CHECK(done[i] == 1);
}

TEST(block_workers_hand_on_an_error) {
  BlockWorkers workers(3, [](std::size_t item, std::size_t) {
    if (item == 17) throw std::runtime_error("seventeen");
  });
  workers.run(10);
  bool thrown = false;
  try {
    workers.run(40);
  } catch (const std::runtime_error& error) {
    thrown = std::string(error.what()) == "seventeen";
  }
  CHECK(thrown);
}

}  // namespace
}  // namespace tunesmith
