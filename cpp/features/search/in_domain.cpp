#include "features/search/in_domain.hpp"

#include <new>
#include <utility>

#include "base/error.hpp"

namespace tunesmith {

DomainRules::DomainRules(std::span<const std::uint64_t> labels, std::vector<std::string> names,
                         std::int64_t without, const RuleArrays& rules)
    : labels_(labels), names_(std::move(names)), without_(without) {
  if (labels_.size() != rules.rules())
    throw Error("labels of " + std::to_string(labels_.size()) + " rules for a table of " +
                std::to_string(rules.rules()));
  if (names_.size() > 64) throw Error("there are at most 64 domains, got " + std::to_string(names_.size()));
}

// What a rule of the domain scores is the same in the whole sentence.
class InDomain::Values final : public SpanValues {
 public:
  Values(const InDomain& feature, std::int32_t label)
      : feature_(feature),
        label_(label),
        score_(feature.domains_.fires_in(label) ? static_cast<float>(feature.weight(label)) : 0.0f) {}

  float score(const PlacedRule& rule) override { return fires(rule) ? score_ : 0.0f; }
  void list(const PlacedRule& rule, SparseValues& out) override {
    if (fires(rule)) list_once(label_, out);
  }

 private:
  bool fires(const PlacedRule& rule) const {
    return feature_.domains_.has(rule.application.rule, rule.side.join, label_);
  }

  const InDomain& feature_;
  std::int32_t label_;
  float score_;
};

std::unique_ptr<SpanValues> InDomain::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence.label);
}

float AdjacentInDomain::place_score(const Combination& edge) const {
  return fires(edge) ? static_cast<float>(weight(edge.sentence.label)) : 0.0f;
}

float AdjacentInDomain::score(const Combination& edge, std::byte* state, float*) const {
  new (state) bool(is_phrase(edge) && is_in(edge));
  return place_score(edge);
}

void AdjacentInDomain::list(const Combination& edge, SparseValues& out) const {
  if (fires(edge)) list_once(edge.sentence.label, out);
}

namespace {

template <class Made>
SearchFeature make(const FeatureInputs& inputs) {
  return std::make_shared<Made>(inputs.name, DomainRules(inputs.get<std::span<const std::uint64_t>>("labels"),
                                                         inputs.get<std::vector<std::string>>("names"),
                                                         inputs.get<std::int64_t>("without"), inputs.rules));
}

}  // namespace

constinit const FeatureKind in_domain_kind{"in_domain", serves_all, make<InDomain>};
constinit const FeatureKind adjacent_in_domain_kind{
    "adjacent_in_domain", [](Growth growth) { return growth == Growth::by_coverage; }, make<AdjacentInDomain>};

}  // namespace tunesmith
