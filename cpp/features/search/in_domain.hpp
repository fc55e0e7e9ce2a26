// Rules that training pairs of the sentence's domain have, and such rules one after the other (Green et al. 2014,
// section 4.2).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/number_table.hpp"
#include "features/search/feature_kinds.hpp"
#include "features/search/reordering/orientations.hpp"
#include "features/search/target_bigrams.hpp"

namespace tunesmith {

// Which rules belong to which domain. Words that pass through, and forced phrases that are not in the table,
// belong to every domain; glue to none.
class DomainRules {
 public:
  // labels: of each rule, bit i for the domain names[i]. without: a domain where nothing fires, -1 for none.
  // Throws Error for labels of another table.
  DomainRules(std::span<const std::uint64_t> labels, std::vector<std::string> names, std::int64_t without,
              const RuleArrays& rules);

  const std::vector<std::string>& names() const { return names_; }
  // Whether features fire in sentences with this label.
  bool fires_in(std::int32_t label) const { return label >= 0 && label != without_; }
  bool has(RuleId rule, Join join, std::int32_t label) const {
    if (!fires_in(label)) return false;
    if (join == Join::unknown) return true;
    return join == Join::rule && rule < labels_.size() && (labels_[rule] >> label & 1) != 0;
  }

 private:
  std::span<const std::uint64_t> labels_;
  std::vector<std::string> names_;
  std::int64_t without_;
};

// A feature that fires once for all domains and once for that of the sentence: `NAME` and `NAME:news`. Base is
// what the search asks of it.
template <class Base>
class DomainFeature : public Base {
 public:
  std::string_view name() const override { return name_; }
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  // The key of a domain is its number + 1, that of all domains is 0.
  std::string detail(std::uint64_t key) const override {
    return key == 0 ? std::string() : domains_.names()[key - 1];
  }
  std::optional<std::uint64_t> key(std::string_view detail) const override {
    if (detail.empty()) return 0;
    const auto& names = domains_.names();
    const auto found = std::ranges::find(names, detail);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - names.begin()) + 1;
  }
  void number(std::uint64_t key, std::uint32_t id) override { ids_[key] = id; }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_[key]; }

 protected:
  DomainFeature(std::string name, DomainRules domains)
      : domains_(std::move(domains)),
        name_(std::move(name)),
        ids_(domains_.names().size() + 1, NumberTable::none) {}

  // Weight of what fires once in a sentence with this label.
  double weight(std::int32_t label) const { return of_key(0) + of_key(key_of(label)); }
  static void list_once(std::int32_t label, SparseValues& out) {
    out.add(0, 1.0f);
    out.add(key_of(label), 1.0f);
  }

  DomainRules domains_;

 private:
  static std::uint64_t key_of(std::int32_t label) { return static_cast<std::uint64_t>(label) + 1; }
  double of_key(std::uint64_t key) const { return ids_[key] < weights_.size() ? weights_[ids_[key]] : 0.0; }

  std::string name_;
  std::vector<std::uint32_t> ids_;
  std::span<const double> weights_;
};

// `in_domain` counts the rules that belong to the domain of the sentence.
class InDomain final : public DomainFeature<SpanFeature> {
 public:
  InDomain(std::string name, DomainRules domains) : DomainFeature(std::move(name), std::move(domains)) {}
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;

 private:
  class Values;
};

// `adjacent_in_domain` counts the neighbours in the translation that both belong to the domain of the sentence.
// The state is whether the last rule does.
class AdjacentInDomain final : public DomainFeature<SparseStateFeature>, public ScoresPlaces {
 public:
  AdjacentInDomain(std::string name, DomainRules domains) : DomainFeature(std::move(name), std::move(domains)) {}

  std::size_t state_bytes() const override { return sizeof(bool); }
  bool equal(const std::byte* a, const std::byte* b) const override { return was_in(a) == was_in(b); }
  std::uint64_t hash(const std::byte* state) const override { return was_in(state); }
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  float place_score(const Combination& edge) const override;
  void list(const Combination& edge, SparseValues& out) const override;

 private:
  static bool was_in(const std::byte* state) { return *reinterpret_cast<const bool*>(state); }
  bool is_in(const Combination& edge) const {
    return domains_.has(edge.application.rule, edge.side.join, edge.sentence.label);
  }
  bool fires(const Combination& edge) const { return is_phrase(edge) && was_in(edge.tails[0]) && is_in(edge); }
};

// Inputs: `labels` of the rules, `names` of the domains, `without`, the number of one where nothing fires, or -1.
extern const FeatureKind in_domain_kind, adjacent_in_domain_kind;

}  // namespace tunesmith
