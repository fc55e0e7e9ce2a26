// Span features by a function, as those written in Python are: asked once a span, from several threads.
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "check.hpp"
#include "decoding/decoder.hpp"
#include "features/search/called_span_feature.hpp"
#include "toy_model.hpp"

using namespace tunesmith;
using toy::Toy;

namespace {

const std::vector<std::string_view> lines{"a b c d", "d c b a d",   "a a b x b",  "c",
                                          "",        "b d b d b d", "a b a b a b"};

// Which source word a rule begins at and how wide it is; rules of no table by what they write.
std::vector<FiredDetails> places(const SpanQuery& query) {
  std::vector<FiredDetails> out;
  for (std::size_t i = 0; i < query.rules.size(); ++i) {
    const std::string who = query.rules[i] < 0 ? query.passed[i] : std::to_string(query.rules[i] % 7);
    out.push_back({{std::string(query.words[query.begin]) + who, 0.5},
                   {"width" + std::to_string(query.end - query.begin), 1.0}});
  }
  return out;
}

// The translations of all lines with their sparse features by name.
auto decoded(const Toy& toy, CalledSpanFeature::Call call, int threads) {
  DecoderModel model = toy.model();
  const RuleArrays rules = model.rules;
  model.add(std::make_shared<CalledSpanFeature>("mine", std::move(call), rules));
  Decoder decoder(std::move(model), {});
  FeatureIndex index;
  index.add("dense");
  for (const char* const name : {"mine:width1", "mine:width2", "mine:a3", "mine:x"}) index.add(name);
  decoder.learn_names(index, 1);
  decoder.set_weights({1.0, -0.5, 0.75, 2.0, 0.25});
  std::vector<std::tuple<double, std::map<std::string, float>>> out;
  for (int round = 0; round < 2; ++round) {
    std::vector<Decoded> results = decoder.decode(lines, {.k = 10}, threads);
    decoder.number_sparse(results, index, true);
    for (const Decoded& result : results)
      for (std::size_t i = 0; i < result.derivations.size(); ++i) {
        std::map<std::string, float> values;
        for (const EdgeId edge : result.derivations.edges_of(i)) {
          const auto ids = result.graph.sparse_ids_of(edge);
          for (std::size_t at = 0; at < ids.size(); ++at)
            values[std::string(index.name(ids[at]))] += result.graph.sparse_values_of(edge)[at];
        }
        out.emplace_back(result.derivations.scores[i], values);
      }
  }
  return out;
}

}  // namespace

TEST(span_features_do_not_depend_on_threads) {
  const Toy toy(5);
  const auto one = decoded(toy, places, 1);
  CHECK(!one.empty());
  for (const int threads : {2, 5}) CHECK(decoded(toy, places, threads) == one);
}

TEST(a_function_is_called_once_a_span_with_each_rule_once) {
  const Toy toy(6);
  std::mutex mutex;
  std::multiset<std::tuple<std::string, std::size_t, std::size_t>> spans;
  decoded(
      toy,
      [&](const SpanQuery& query) {
        std::string line;
        for (const std::string_view word : query.words) line.append(word).append(" ");
        const std::set<std::int64_t> different(query.rules.begin(), query.rules.end());
        const std::lock_guard lock(mutex);
        spans.emplace(line, query.begin, query.end);
        CHECK(different.size() == query.rules.size() && query.passed.size() == query.rules.size());
        return places(query);
      },
      3);
  CHECK(!spans.empty());
  for (const auto& span : spans) CHECK(spans.count(span) == 2);  // all lines are decoded twice
}

TEST(what_a_function_gives_is_checked) {
  const Toy toy(7);
  CHECK_THROWS(decoded(toy, [](const SpanQuery&) { return std::vector<FiredDetails>(); }, 2), Error);
  CHECK_THROWS(decoded(
                   toy,
                   [](const SpanQuery& query) {
                     return std::vector<FiredDetails>(query.rules.size(), {{"x", std::nan("")}});
                   },
                   2),
               Error);
}

TEST(a_detail_gets_its_key_when_it_is_learnt_or_fired) {
  const Toy toy(8);
  const RuleArrays rules = toy.model().rules;
  CalledSpanFeature feature("mine", places, rules);
  CHECK(feature.can_have("width1") && !feature.key("width1"));
  const auto key = feature.learn("width1");
  CHECK(key && feature.key("width1") == key && feature.learn("width1") == key);
  CHECK(feature.detail(*key) == "width1");
}
