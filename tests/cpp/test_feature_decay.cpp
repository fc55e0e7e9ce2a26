#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "corpus/feature_decay.hpp"

using namespace tunesmith;

TEST(feature_decay_chooses_what_is_new) {
  FeatureDecay selector(2);
  selector.add_in_domain(std::vector<std::string_view>{"a b", "c"});
  selector.add(std::vector<std::string_view>{"a", "a", "b x x", "c", "x"});
  CHECK((selector.select(2).lines == std::vector<std::int64_t>{0, 3}));
  CHECK((selector.select(9).lines == std::vector<std::int64_t>{1, 2}));  // a has half of its value: 0.55 to 0.37
  CHECK(selector.select(9).lines.empty());
  CHECK((selector.coverage().chosen == std::vector<std::int64_t>{3, 0}));
}

TEST(feature_decay_takes_more_candidates) {
  FeatureDecay selector(1);
  selector.add_in_domain(std::vector<std::string_view>{"a b"});
  selector.add(std::vector<std::string_view>{"a x"});
  selector.add(std::vector<std::string_view>{"b"});
  CHECK((selector.select(1).lines == std::vector<std::int64_t>{1}));
  CHECK_THROWS(selector.add_in_domain(std::vector<std::string_view>{"c"}), Error);
}
