#include "clustering/likelihood.hpp"

#include <string>

#include "base/error.hpp"
#include "clustering/x_log_x.hpp"

namespace tunesmith {
namespace {

std::uint64_t key(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{first} << 32 | second;
}

double sum_of(const NumberTable& counts, const XLogX& t) {
  double sum = 0;
  counts.for_each([&](std::uint64_t, std::uint32_t count) { sum += t(count); });
  return sum;
}

}  // namespace

ClassLikelihood class_likelihood(const Bigrams& bigrams, std::span<const ClassId> classes) {
  if (classes.size() != bigrams.size())
    throw Error("there are " + std::to_string(bigrams.size()) + " words but " + std::to_string(classes.size()) +
                " classes");
  for (const ClassId name : classes)
    if (name < 0) throw Error("class " + std::to_string(name) + " is negative");
  constexpr std::uint32_t border_class = 0xFFFFFFFEu;
  const auto class_of = [&](std::uint32_t word) {
    return word == bigrams.border() ? border_class : static_cast<std::uint32_t>(classes[word]);
  };
  const XLogX t(bigrams.tokens);
  NumberTable after_word, before_word, after_class, totals;  // N(v,c), N(c,v), N(c',c), N(c)
  NumberTable histories, futures, class_histories;           // N(v), N(v) from the other side, N(c')
  double words = 0;
  for (std::uint32_t word = 0; word < bigrams.border(); ++word) {
    const std::uint32_t own = class_of(word);
    const auto count = static_cast<std::uint32_t>(bigrams.counts[word]);
    words += t(count);
    totals.add(own, count);
    for (const Neighbour& each : bigrams.before.of(word)) {
      after_word.add(key(each.word, own), each.count);
      histories.add(each.word, each.count);
      after_class.add(key(class_of(each.word), own), each.count);
      class_histories.add(class_of(each.word), each.count);
    }
    for (const Neighbour& each : bigrams.after.of(word)) {
      before_word.add(key(each.word, own), each.count);
      futures.add(each.word, each.count);
    }
  }
  const double emission = words - sum_of(totals, t);
  return {.forward = sum_of(after_word, t) - sum_of(histories, t) + emission,
          .backward = sum_of(before_word, t) - sum_of(futures, t) + emission,
          .two_sided = sum_of(after_class, t) - sum_of(class_histories, t) + emission};
}

}  // namespace tunesmith
