#include "lm/batch.hpp"

#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/words.hpp"

namespace tunesmith::lm {
namespace {

// Calls visit(id, scored) for every word of the line and, if asked for, for </s>.
template <class Visit>
void score_line(const Model& model, std::string_view line, bool begin, bool end, Visit visit) {
  State states[2];
  if (begin) states[0] = model.begin();
  int now = 0;
  const auto score = [&](std::uint32_t id) {
    visit(id, model.score(states[now], id, states[1 - now]));
    now = 1 - now;
  };
  for_each_word(line, [&](std::string_view word) { score(model.id(word)); });
  if (end) score(sentence_end);
}

}  // namespace

LineScores score_lines(const Model& model, std::span<const std::string_view> lines, bool begin, bool end,
                       int threads) {
  LineScores out;
  out.total.resize(lines.size());
  out.of_known.resize(lines.size());
  out.words.resize(lines.size());
  out.unknown.resize(lines.size());
  parallel_ranges(lines.size(), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      double of_known = 0, of_unknown = 0;  // a separate sum: unknown words may have -1e30
      std::int64_t words = end ? -1 : 0, unknown_words = 0;
      score_line(model, lines[i], begin, end, [&](std::uint32_t id, const Scored& scored) {
        ++words;
        (id == unknown ? of_unknown : of_known) += static_cast<double>(scored.probability);
        unknown_words += id == unknown;
      });
      out.total[i] = of_known + of_unknown;
      out.of_known[i] = of_known;
      out.words[i] = words;
      out.unknown[i] = unknown_words;
    }
  });
  return out;
}

WordScores score_words(const Model& model, std::span<const std::string_view> lines, bool begin, bool end) {
  WordScores out;
  out.offsets.push_back(0);
  for (const std::string_view line : lines) {
    score_line(model, line, begin, end, [&](std::uint32_t id, const Scored& scored) {
      out.probability.push_back(scored.probability);
      out.length.push_back(static_cast<std::int32_t>(scored.length));
      out.id.push_back(static_cast<std::int32_t>(id));
    });
    out.offsets.push_back(static_cast<std::int64_t>(out.probability.size()));
  }
  return out;
}

std::vector<float> score_rows(const Model& model, std::span<const std::int32_t> rows, std::size_t width) {
  if (width < 1 || width > static_cast<std::size_t>(max_order)) throw Error("rows must have 1 to 9 words");
  for (const std::int32_t id : rows)
    if (id < 0 || static_cast<std::size_t>(id) >= model.vocabulary())
      throw Error("word number " + std::to_string(id) + " is not between 0 and " +
                  std::to_string(model.vocabulary()));
  std::vector<float> out(rows.size() / width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t context[max_order];  // nearest first
    const auto row = rows.subspan(i * width, width);
    std::reverse_copy(row.begin(), row.end() - 1, context);
    out[i] = model.score_forgotten(context, static_cast<std::uint32_t>(width - 1),
                                   static_cast<std::uint32_t>(row.back()));
  }
  return out;
}

}  // namespace tunesmith::lm
