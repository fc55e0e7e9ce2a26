#include "features/rules/word_features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "features/rules/linked_parts.hpp"
#include "features/rules/names.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t not_one_to_one = -1;  // in keys of word pairs
constexpr std::int32_t end_of_source = -1;   // in keys of alignments

// For each position of a side, how many links it has and one of its partners.
struct Links {
  std::array<std::uint16_t, longest_side> source, target;
  std::array<std::uint8_t, longest_side> partner;  // of source words that have one

  explicit Links(const RuleEntry& rule) {
    std::fill_n(source.begin(), rule.source.size(), std::uint16_t{0});
    std::fill_n(target.begin(), rule.target.size(), std::uint16_t{0});
    for (const RuleLink link : rule.links) {
      ++source[link.source];
      ++target[link.target];
      partner[link.source] = link.target;
    }
  }
  bool one_to_one(std::size_t at) const { return source[at] == 1 && target[partner[at]] == 1; }
};

class WordPair final : public RuleTemplate {
 public:
  WordPair(std::vector<WordId> source, std::vector<WordId> target)
      : source_(std::move(source)), target_(std::move(target)) {
    if (source_.all() != target_.all()) throw Error("words of both sides are chosen, or all words");
  }
  std::size_t columns() const override { return source_.all() ? 0 : (source_.size() + 2) * width(); }

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const Links links(rule);
    std::array<bool, longest_side> paired;
    std::fill_n(paired.begin(), rule.target.size(), false);
    for (std::size_t i = 0; i < rule.source.size(); ++i) {
      if (is_gap(rule.source[i])) continue;
      if (links.one_to_one(i)) {
        paired[links.partner[i]] = true;
        add(rule.source[i], rule.target[links.partner[i]], out);
      } else {
        add(rule.source[i], not_one_to_one, out);
      }
    }
    for (std::size_t j = 0; j < rule.target.size(); ++j)
      if (!is_gap(rule.target[j]) && !paired[j]) add(not_one_to_one, rule.target[j], out);
  }

  std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const override {
    std::string out;
    if (source_.all()) {
      append(key[0], *rules.source_words, out);
      out += '_';
      append(key[1], *rules.target_words, out);
    } else {
      const auto column = static_cast<std::size_t>(key[0]);
      append(column / width(), source_, *rules.source_words, out);
      out += '_';
      append(column % width(), target_, *rules.target_words, out);
    }
    return out;
  }

 private:
  static constexpr std::string_view other_name = "|other|", not_name = "|not-1-1|";

  std::size_t width() const { return target_.size() + 2; }

  void add(WordId source, WordId target, FiredFeatures& out) const {
    if (source_.all())
      out.fire_key(std::array{source, target});
    else
      out.fire(place(source, source_) * width() + place(target, target_));
  }
  // Chosen words first, then all others, then "not 1-1".
  static std::size_t place(WordId word, const WordChoice& choice) {
    if (word == not_one_to_one) return choice.size() + 1;
    const std::int32_t found = choice.place(word);
    return found == WordChoice::other ? choice.size() : static_cast<std::size_t>(found);
  }
  static void append(WordId word, const Vocabulary& words, std::string& out) {
    if (word == not_one_to_one)
      out += not_name;
    else
      append_word(words.word(word), out);
  }
  static void append(std::size_t place, const WordChoice& choice, const Vocabulary& words, std::string& out) {
    if (place < choice.size())
      append_word(words.word(choice.word(place)), out);
    else
      out += place == choice.size() ? other_name : not_name;
  }

  WordChoice source_, target_;
};

class TargetUnaligned final : public RuleTemplate {
 public:
  explicit TargetUnaligned(std::vector<WordId> words) : words_(std::move(words)) {}
  std::size_t columns() const override { return words_.size(); }

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const Links links(rule);
    for (std::size_t j = 0; j < rule.target.size(); ++j) {
      if (is_gap(rule.target[j]) || links.target[j] != 0) continue;
      const WordId word = rule.target[j];
      if (words_.all())
        out.fire_key(std::array{word});
      else if (const std::int32_t place = words_.place(word); place != WordChoice::other)
        out.fire(static_cast<std::size_t>(place));
    }
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const override {
    std::string out;
    append_word(rules.target_words->word(words_.all() ? key[0] : words_.word(static_cast<std::size_t>(key[0]))),
                out);
    return out;
  }

 private:
  WordChoice words_;
};

class SourceDeletion final : public RuleTemplate {
 public:
  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const Links links(rule);
    for (std::size_t i = 0; i < rule.source.size(); ++i)
      if (!is_gap(rule.source[i]) && links.source[i] == 0) out.fire_key(std::array{rule.source[i]});
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const override {
    std::string out;
    append_word(rules.source_words->word(key[0]), out);
    return out;
  }
};

class LexicalAlignment final : public RuleTemplate {
 public:
  explicit LexicalAlignment(std::uint32_t more_than) : more_than_(more_than) {}

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    if (more_than_ != 0 && rule.occurrences <= more_than_) return;
    std::vector<std::int32_t> key;
    for_each_linked_part(rule, [&](std::span<const std::uint8_t> source, std::span<const std::uint8_t> target) {
      key.clear();
      for (const std::uint8_t i : source) key.push_back(rule.source[i]);
      key.push_back(end_of_source);
      for (const std::uint8_t j : target) key.push_back(rule.target[j]);
      out.fire_key(key);
    });
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const override {
    const auto middle = static_cast<std::size_t>(std::ranges::find(key, end_of_source) - key.begin());
    std::string out;
    append_symbols(key.first(middle), *rules.source_words, out);
    out += '|';
    append_symbols(key.subspan(middle + 1), *rules.target_words, out);
    return out;
  }

 private:
  std::uint32_t more_than_;
};

class LexicalRule final : public RuleTemplate {
 public:
  explicit LexicalRule(std::uint32_t more_than) : more_than_(more_than) {}

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    if (more_than_ == 0 || rule.occurrences > more_than_)
      out.fire_key(std::array{std::bit_cast<std::int32_t>(rule.id)});
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const override {
    const auto rule = std::bit_cast<RuleId>(key[0]);
    std::string out;
    append_symbols(rules.source(rules.side_of(rule)), *rules.source_words, out);
    out += '|';
    append_symbols(rules.target(rule), *rules.target_words, out);
    return out;
  }

 private:
  std::uint32_t more_than_;
};

}  // namespace

WordChoice::WordChoice(std::vector<WordId> words) : words_(std::move(words)) {
  for (std::size_t place = 0; place < words_.size(); ++place) {
    if (words_[place] < 0) throw Error("a chosen word has a negative number");
    const auto at = static_cast<std::size_t>(words_[place]);
    if (at >= places_.size()) places_.resize(at + 1, other);
    if (places_[at] != other) throw Error("a word is chosen twice");
    places_[at] = static_cast<std::int32_t>(place);
  }
}

std::unique_ptr<RuleTemplate> word_pair(std::vector<WordId> source, std::vector<WordId> target) {
  return std::make_unique<WordPair>(std::move(source), std::move(target));
}

std::unique_ptr<RuleTemplate> target_unaligned(std::vector<WordId> words) {
  return std::make_unique<TargetUnaligned>(std::move(words));
}

std::unique_ptr<RuleTemplate> source_deletion() {
  return std::make_unique<SourceDeletion>();
}

std::unique_ptr<RuleTemplate> lexical_alignment(std::uint32_t more_than) {
  return std::make_unique<LexicalAlignment>(more_than);
}

std::unique_ptr<RuleTemplate> lexical_rule(std::uint32_t more_than) {
  return std::make_unique<LexicalRule>(more_than);
}

}  // namespace tunesmith
