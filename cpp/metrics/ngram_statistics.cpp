#include "metrics/ngram_statistics.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "metrics/ngram_matcher.hpp"
#include "metrics/sentence_numbers.hpp"

namespace tunesmith {
namespace {

// Row i describes hypothesis(i), of `size`.
template <class Hypothesis>
void fill_rows(const ReferenceNgrams& references, std::size_t size, Hypothesis hypothesis,
               const WordTokens* tokens, std::span<const std::int64_t> sentences, const StatisticsOptions& options,
               std::span<double> out) {
  const auto order = static_cast<std::size_t>(references.order());
  const std::size_t width = statistics_width(references.order());
  check_rows(size, sentences, references.size(), width, out.size());
  if (options.information && !references.has_information())
    throw Error("information weights were not computed for these references");

  parallel_ranges(size, options.threads, [&](std::size_t begin, std::size_t end) {
    ReferenceNgrams::Matcher matcher(references, tokens);
    for (std::size_t i = begin; i < end; ++i) {
      const auto sentence = static_cast<std::size_t>(sentences[i]);
      double* row = out.data() + i * width;
      const std::size_t length = matcher.match(sentence, hypothesis(i), row + 2, options.information);
      row[0] = static_cast<double>(length);
      row[1] = reference_length(references.lengths(sentence), length, options.length);
      for (std::size_t n = 0; n < order; ++n)
        row[2 + order + n] = length > n ? static_cast<double>(length - n) : 0.0;
    }
  });
}

}  // namespace

double reference_length(std::span<const std::uint32_t> lengths, std::size_t hypothesis, LengthRule rule) {
  if (rule == LengthRule::shortest) return *std::min_element(lengths.begin(), lengths.end());
  if (rule == LengthRule::average) {
    double sum = 0;
    for (const std::uint32_t length : lengths) sum += length;
    return sum / static_cast<double>(lengths.size());
  }
  const auto distance = [&](std::uint32_t length) {
    return length > hypothesis ? length - hypothesis : hypothesis - length;
  };
  return *std::min_element(lengths.begin(), lengths.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
  });
}

void ngram_statistics(const ReferenceNgrams& references, std::span<const std::string_view> hypotheses,
                      std::span<const std::int64_t> sentences, const StatisticsOptions& options,
                      std::span<double> out) {
  const auto hypothesis = [&](std::size_t i) { return hypotheses[i]; };
  fill_rows(references, hypotheses.size(), hypothesis, nullptr, sentences, options, out);
}

void ngram_statistics(const ReferenceNgrams& references, const WordIds& hypotheses,
                      std::span<const std::int64_t> sentences, const StatisticsOptions& options,
                      std::span<double> out) {
  const auto offsets = hypotheses.offsets;
  if (offsets.empty() || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(hypotheses.ids.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error("offsets of words must rise from 0 to the number of words");
  const auto hypothesis = [&](std::size_t i) {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    return hypotheses.ids.subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
  };
  fill_rows(references, offsets.size() - 1, hypothesis, &hypotheses.tokens, sentences, options, out);
}

}  // namespace tunesmith
