// Searches and features by name, and what they refuse.
#include <cmath>
#include <string>

#include "check.hpp"
#include "decoding/search_kinds.hpp"
#include "features/search/feature_kinds.hpp"

using namespace tunesmith;

namespace {

FeatureInputs inputs(const RuleArrays& rules, Growth growth) {
  return {"mine", {}, rules, growth, [](std::string_view) { return 7u; }};
}

TEST(every_search_is_found_by_its_name_and_has_its_usual_settings) {
  CHECK(!search_kinds().empty());
  for (const SearchKind* const kind : search_kinds()) {
    CHECK(&search_kind(kind->name) == kind);
    DecoderOptions options;
    options.complete(kind->settings, kind->adjective);
    for (const SearchSetting& setting : kind->settings) {
      CHECK(options.of(setting.name) == setting.usual);
      for (const std::int64_t value : {setting.least - 1, setting.most + 1}) {
        DecoderOptions wrong;
        wrong.own[std::string(setting.name)] = value;
        CHECK_THROWS(wrong.complete(kind->settings, kind->adjective), Error);
      }
    }
  }
  CHECK_THROWS(search_kind("sideways"), Error);
}

TEST(options_of_another_search_and_values_out_of_range_are_refused) {
  DecoderOptions foreign;
  foreign.own["stack_limit"] = 10;
  CHECK_THROWS(foreign.complete(search_kind("hiero").settings, "hierarchical"), Error);
  foreign.complete(search_kind("phrase").settings, "phrase-based");
  CHECK(foreign.of("stack_limit") == 10);
  for (const std::uint32_t pops : {0u, 65536u}) {
    DecoderOptions wrong{.pop_limit = pops};
    CHECK_THROWS(wrong.complete({}, "any"), Error);
  }
  for (const double seconds : {0.0, -1.0, std::nan("")}) {
    DecoderOptions wrong{.timeout = seconds};
    CHECK_THROWS(wrong.complete({}, "any"), Error);
  }
}

TEST(features_serve_only_searches_that_grow_as_they_need) {
  const RuleArrays rules{};
  CHECK_THROWS(make_feature("nobody", inputs(rules, Growth::bottom_up)), Error);
  for (const Growth growth : {Growth::bottom_up, Growth::appended})
    for (const char* const name : {"distortion", "reordering"})
      CHECK_THROWS(make_feature(name, inputs(rules, growth)), Error);
  const SearchFeature made = make_feature("distortion", inputs(rules, Growth::by_coverage));
  CHECK(std::get<std::shared_ptr<StateFeature>>(made)->dense_ids().front() == 7);
}

TEST(inputs_that_are_missing_or_of_another_type_are_refused) {
  const RuleArrays rules{};
  FeatureInputs given = inputs(rules, Growth::by_coverage);
  CHECK_THROWS(make_feature("reordering", given), Error);
  given.values["columns"] = std::int64_t{3};
  CHECK_THROWS(make_feature("reordering", given), Error);
  CHECK_THROWS(make_feature("language_model", given), Error);
}

}  // namespace
