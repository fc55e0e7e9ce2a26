#include "search/matrices/factored_matrix.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "search/matrices/noted_sum.hpp"

namespace tunesmith {
namespace {

void check_offsets(std::span<const std::int64_t> offsets, std::size_t entries, std::size_t items,
                   const char* what) {
  if (offsets.size() != entries + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(items) || !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error("offsets of " + std::string(what) + " must rise from 0 to their number, " + std::to_string(items));
}

std::size_t at(std::span<const std::int64_t> offsets, std::size_t i) {
  return static_cast<std::size_t>(offsets[i]);
}

void append_bytes(std::string& out, const void* data, std::size_t size) {
  if (size > 0) out.append(static_cast<const char*>(data), size);
}

}  // namespace

template <class Place>
FactoredMatrix<Place>::FactoredMatrix(const FeatureMatrix& features, const FactoredArrays<Place>& arrays)
    : features_(features), arrays_(arrays) {
  const auto& a = arrays_;
  if (a.sentences.empty()) throw Error("offsets of candidates must begin with 0");
  check_offsets(a.sentences, a.sentences.size() - 1,
                static_cast<std::size_t>(std::max<std::int64_t>(a.sentences.back(), 0)), "candidates");
  check_offsets(a.list_offsets, a.sentences.size() - 1, a.list.size(), "lists of rules");
  check_offsets(a.rule_offsets, rows(), a.places.size(), "rules");
  if (a.columns < features.columns())
    throw Error("there are " + std::to_string(a.columns) + " columns, the rules alone have " +
                std::to_string(features.columns()));
  for (const std::uint32_t rule : a.list)
    if (rule >= features.rows())
      throw Error("rule " + std::to_string(rule) + " is none of the " + std::to_string(features.rows()) +
                  " of the model");
  for (std::size_t s = 0; s + 1 < a.sentences.size(); ++s) {
    const std::size_t size = at(a.list_offsets, s + 1) - at(a.list_offsets, s);
    const auto first = at(a.rule_offsets, at(a.sentences, s)), last = at(a.rule_offsets, at(a.sentences, s + 1));
    const auto places = a.places.subspan(first, last - first);
    if (!places.empty() && *std::max_element(places.begin(), places.end()) >= size)
      throw Error("a candidate of sentence " + std::to_string(s) + " uses a rule its sentence does not have");
  }
  const auto check_ids = [&](std::span<const std::uint32_t> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i] >= a.columns || (i > 0 && ids[i] <= ids[i - 1]))
        throw Error("ids of stateful features must rise and be below the number of columns");
  };
  check_ids(a.state_ids);
  if (a.states.size() != rows() * a.state_ids.size())
    throw Error("every candidate must have the same stateful features");
  if (!all_finite(a.states) || !all_finite(a.pair_values))
    throw Error("the value of a stateful feature is not a finite number");
  if (a.pair_ids.size() != a.pair_values.size()) throw Error("there must be a value for every id");
  check_offsets(a.pair_offsets, rows(), a.pair_ids.size(), "stateful pairs");
  for (std::size_t r = 0; r < rows(); ++r)
    check_ids(a.pair_ids.subspan(at(a.pair_offsets, r), at(a.pair_offsets, r + 1) - at(a.pair_offsets, r)));
}

template <class Place>
std::size_t FactoredMatrix<Place>::sentence_of(std::size_t row) const {
  const auto behind =
      std::upper_bound(arrays_.sentences.begin(), arrays_.sentences.end(), static_cast<std::int64_t>(row));
  return static_cast<std::size_t>(behind - arrays_.sentences.begin()) - 1;
}

// Calls `visit(sentence, begin, end)` for the candidates [begin, end), cut at sentences.
template <class Place>
template <class Visit>
void FactoredMatrix<Place>::each_sentence(std::size_t begin, std::size_t end, Visit visit) const {
  if (begin >= end) return;
  for (std::size_t sentence = sentence_of(begin); begin < end; ++sentence) {
    const std::size_t stop = std::min(end, at(arrays_.sentences, sentence + 1));
    if (begin < stop) visit(sentence, begin, stop);
    begin = stop;
  }
}

template <class Place>
template <class Visit>
void FactoredMatrix<Place>::each_rule(std::size_t sentence, std::size_t row, Visit visit) const {
  const std::uint32_t* const list = arrays_.list.data() + arrays_.list_offsets[sentence];
  for (std::size_t i = at(arrays_.rule_offsets, row); i < at(arrays_.rule_offsets, row + 1); ++i)
    visit(list[arrays_.places[i]]);
}

template <class Place>
template <class Visit>
void FactoredMatrix<Place>::each_state(std::size_t row, Visit visit) const {
  const std::size_t width = arrays_.state_ids.size();
  for (std::size_t j = 0; j < width; ++j)
    visit(arrays_.state_ids[j], static_cast<double>(arrays_.states[row * width + j]));
  for (std::size_t i = at(arrays_.pair_offsets, row); i < at(arrays_.pair_offsets, row + 1); ++i)
    visit(arrays_.pair_ids[i], static_cast<double>(arrays_.pair_values[i]));
}

template <class Place>
void FactoredMatrix<Place>::sentence_dots(std::size_t begin, std::size_t end, const double* scores,
                                          std::span<const double> w, double* out) const {
  for (std::size_t r = begin; r < end; ++r) {
    double sum = 0;
    for (std::size_t i = at(arrays_.rule_offsets, r); i < at(arrays_.rule_offsets, r + 1); ++i)
      sum += scores[arrays_.places[i]];
    each_state(r, [&](std::uint32_t id, double value) { sum += w[id] * value; });
    out[r - begin] = sum;
  }
}

template <class Place>
void FactoredMatrix<Place>::dots(std::size_t begin, std::size_t end, std::span<const double> w,
                                 double* out) const {
  std::vector<double> scores;
  each_sentence(begin, end, [&](std::size_t sentence, std::size_t first, std::size_t last) {
    const std::size_t list = at(arrays_.list_offsets, sentence);
    scores.resize(at(arrays_.list_offsets, sentence + 1) - list);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = features_.score(arrays_.list[list + k], w);
    sentence_dots(first, last, scores.data(), w, out + (first - begin));
  });
}

template <class Place>
const std::vector<std::uint32_t>& FactoredMatrix<Place>::different_rules() const {
  std::call_once(once_, [&] {
    std::vector<bool> seen(features_.rows());
    for (const std::uint32_t rule : arrays_.list) {
      if (!seen[rule]) different_.push_back(rule);
      seen[rule] = true;
    }
    std::sort(different_.begin(), different_.end());
  });
  return different_;
}

template <class Place>
void FactoredMatrix<Place>::all_dots(std::span<const double> w, double* out, int threads) const {
  const std::vector<std::uint32_t>& rules = different_rules();
  // Scores by rule; only the entries of rules that occur are ever touched.
  const std::unique_ptr<double[]> score_of(new double[features_.rows()]);
  parallel_ranges(rules.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) score_of[rules[i]] = features_.score(rules[i], w);
  });
  parallel_ranges(rows(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scores;
    each_sentence(begin, end, [&](std::size_t sentence, std::size_t first, std::size_t last) {
      const std::size_t list = at(arrays_.list_offsets, sentence);
      scores.resize(at(arrays_.list_offsets, sentence + 1) - list);
      for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = score_of[arrays_.list[list + k]];
      sentence_dots(first, last, scores.data(), w, out + first);
    });
  });
}

template <class Place>
void FactoredMatrix<Place>::add_row(std::size_t row, double scale, std::span<double> w) const {
  each_rule(sentence_of(row), row, [&](std::uint32_t rule) { features_.add_row(rule, scale, w); });
  each_state(row, [&](std::uint32_t id, double value) { w[id] += scale * value; });
}

template <class Place>
void FactoredMatrix<Place>::add_row(std::size_t row, double scale, NotedSum& sum) const {
  each_rule(sentence_of(row), row, [&](std::uint32_t rule) { features_.add_row_to(sum, rule, scale); });
  sum.expect(arrays_.state_ids.size() + at(arrays_.pair_offsets, row + 1) - at(arrays_.pair_offsets, row));
  each_state(row, [&](std::uint32_t id, double value) { sum.add(id, scale * value); });
}

template <class Place>
void FactoredMatrix<Place>::combine(std::size_t begin, std::span<const double> c, std::span<double> out) const {
  std::vector<double> sums;
  each_sentence(begin, begin + c.size(), [&](std::size_t sentence, std::size_t first, std::size_t last) {
    const std::size_t list = at(arrays_.list_offsets, sentence);
    sums.assign(at(arrays_.list_offsets, sentence + 1) - list, 0);
    for (std::size_t r = first; r < last; ++r) {
      const double scale = c[r - begin];
      if (scale == 0) continue;
      for (std::size_t i = at(arrays_.rule_offsets, r); i < at(arrays_.rule_offsets, r + 1); ++i)
        sums[arrays_.places[i]] += scale;
      each_state(r, [&](std::uint32_t id, double value) { out[id] += scale * value; });
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (sums[k] != 0) features_.add_row(arrays_.list[list + k], sums[k], out);
  });
}

template <class Place>
void FactoredMatrix<Place>::row(std::size_t row, std::vector<std::uint32_t>& ids,
                                std::vector<double>& values) const {
  thread_local std::vector<std::pair<std::uint32_t, double>> pairs;
  pairs.clear();
  each_rule(sentence_of(row), row, [&](std::uint32_t rule) {
    features_.visit_row(rule, [&](std::uint32_t id, float value) { pairs.emplace_back(id, value); });
  });
  each_state(row, [&](std::uint32_t id, double value) { pairs.emplace_back(id, value); });
  // Stable, so that values are added in the order of the rules.
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < pairs.size();) {
    const std::uint32_t id = pairs[i].first;
    double sum = 0;
    for (; i < pairs.size() && pairs[i].first == id; ++i) sum += pairs[i].second;
    if (sum == 0) continue;
    ids.push_back(id);
    values.push_back(sum);
  }
}

template <class Place>
void FactoredMatrix<Place>::add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const {
  std::vector<std::uint8_t> used;
  each_sentence(begin, end, [&](std::size_t sentence, std::size_t first, std::size_t last) {
    const std::size_t list = at(arrays_.list_offsets, sentence);
    used.assign(at(arrays_.list_offsets, sentence + 1) - list, 0);
    for (std::size_t i = at(arrays_.rule_offsets, first); i < at(arrays_.rule_offsets, last); ++i)
      used[arrays_.places[i]] = 1;
    constexpr std::size_t ahead = 8;  // rules of a sentence lie all over the table
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (k + ahead < used.size()) __builtin_prefetch(features_.dense(arrays_.list[list + k + ahead]));
      if (used[k]) features_.visit_row(arrays_.list[list + k], [&](std::uint32_t id, float) { columns.add(id); });
    }
  });
  const std::size_t width = arrays_.state_ids.size();
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t r = begin; r < end; ++r)
      if (arrays_.states[r * width + j] != 0) {
        columns.add(arrays_.state_ids[j]);
        break;
      }
  const std::size_t first = at(arrays_.pair_offsets, begin), count = at(arrays_.pair_offsets, end) - first;
  columns.add_nonzero(arrays_.pair_ids.subspan(first, count), arrays_.pair_values.subspan(first, count));
}

template <class Place>
void FactoredMatrix<Place>::append_key(std::size_t row, std::span<const std::uint32_t> column_map,
                                       std::string& out) const {
  thread_local std::vector<std::uint32_t> rules;
  thread_local std::vector<std::pair<std::uint32_t, float>> pairs;
  rules.clear();
  pairs.clear();
  each_rule(sentence_of(row), row, [&](std::uint32_t rule) { rules.push_back(rule); });
  std::sort(rules.begin(), rules.end());
  const auto count = narrow<std::uint32_t>(rules.size());
  append_bytes(out, &count, sizeof count);
  append_bytes(out, rules.data(), rules.size() * sizeof(std::uint32_t));
  each_state(row, [&](std::uint32_t id, double value) {
    if (value != 0) pairs.emplace_back(column_map.empty() ? id : column_map[id], static_cast<float>(value));
  });
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [id, value] : pairs) {
    append_bytes(out, &id, sizeof id);
    append_bytes(out, &value, sizeof value);
  }
}

template class FactoredMatrix<std::uint16_t>;
template class FactoredMatrix<std::uint32_t>;

RulePlaces place_rules(std::span<const std::int64_t> sentences, std::span<const std::int64_t> rule_offsets,
                       std::span<const std::uint32_t> rules) {
  if (sentences.empty() || rule_offsets.empty()) throw Error("offsets must begin with 0");
  check_offsets(sentences, sentences.size() - 1, rule_offsets.size() - 1, "candidates");
  check_offsets(rule_offsets, rule_offsets.size() - 1, rules.size(), "rules");
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  RulePlaces out;
  out.places.reserve(rules.size());
  std::vector<std::uint32_t> slots;  // open addressing: places in the list of the sentence
  for (std::size_t s = 0; s + 1 < sentences.size(); ++s) {
    const std::size_t list = out.list.size();
    const std::size_t begin = at(rule_offsets, at(sentences, s)), end = at(rule_offsets, at(sentences, s + 1));
    slots.assign(16, none);
    const auto slot_of = [&](std::uint32_t rule) {
      return probe(slots, rule * std::size_t{0x9E3779B97F4A7C15u} >> 32,
                   [&](std::uint32_t place) { return place == none || out.list[list + place] == rule; });
    };
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t slot = slot_of(rules[i]);
      if (slots[slot] == none) {
        slots[slot] = narrow<std::uint32_t>(out.list.size() - list);
        out.list.push_back(rules[i]);
        out.places.push_back(slots[slot]);
        const std::size_t size = out.list.size() - list;
        if (2 * size > slots.size()) {
          slots.assign(2 * slots.size(), none);
          for (std::size_t k = 0; k < size; ++k)
            slots[slot_of(out.list[list + k])] = static_cast<std::uint32_t>(k);
        }
      } else {
        out.places.push_back(slots[slot]);
      }
    }
    out.longest = std::max(out.longest, out.list.size() - list);
    out.list_offsets.push_back(static_cast<std::int64_t>(out.list.size()));
  }
  return out;
}

}  // namespace tunesmith
