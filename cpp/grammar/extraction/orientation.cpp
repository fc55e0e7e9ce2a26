#include "grammar/extraction/orientation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t largest_grid = std::size_t{1} << 26;
constexpr double least_log = -100.0;

std::size_t index(std::int32_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

std::size_t ReorderingOptions::kinds() const {
  return orientations == OrientationSet::monotonicity ? 2 : orientations == OrientationSet::msd ? 3 : 4;
}

void check_options(const ReorderingOptions& options) {
  if (!options.previous && !options.next) throw Error("reordering needs a direction: previous, next or both");
  if (!(options.smoothing >= 0) || !std::isfinite(options.smoothing))
    throw Error("the smoothing of reordering must be a number from 0");
}

void append_log_probabilities(const OrientationCounts& counts, const ReorderingOptions& options,
                              std::vector<float>& out) {
  const bool adds_non_monotone = options.orientations == OrientationSet::msdn;
  const std::size_t kinds = adds_non_monotone ? 3 : options.kinds();
  const auto push = [&](double probability) {
    out.push_back(static_cast<float>(probability > 0 ? std::max(std::log(probability), least_log) : least_log));
  };
  for (std::size_t direction = 0; direction < 2; ++direction) {
    if (!(direction == 0 ? options.previous : options.next)) continue;
    // Orientations that are not distinguished are counted together, after those that are.
    std::array<double, orientation_count> merged = {};
    double all = static_cast<double>(kinds) * options.smoothing;
    for (std::size_t i = 0; i < orientation_count; ++i) {
      merged[std::min(i, kinds - 1)] += counts[direction][i];
      all += counts[direction][i];
    }
    const auto probability = [&](std::size_t i) {
      return all > 0 ? (merged[i] + options.smoothing) / all : 1 / static_cast<double>(kinds);
    };
    for (std::size_t i = 0; i < kinds; ++i) push(probability(i));
    if (adds_non_monotone) push(probability(1) + probability(2));
  }
}

void OrientationFinder::Corners::clear(std::size_t source_size, std::size_t target_size) {
  width_ = source_size + 1;
  found_.assign(width_ * (target_size + 1), false);
  least_.assign(target_size + 1, std::numeric_limits<std::int32_t>::max());
  greatest_.assign(target_size + 1, -1);
}

void OrientationFinder::Corners::add(std::int32_t source, std::int32_t target) {
  found_[index(target) * width_ + index(source)] = true;
  least_[index(target)] = std::min(least_[index(target)], source);
  greatest_[index(target)] = std::max(greatest_[index(target)], source);
}

bool OrientationFinder::Corners::has(std::int32_t source, std::int32_t target) const {
  return found_[index(target) * width_ + index(source)];
}

void OrientationFinder::Places::set(const std::vector<LinkRange>& words, bool trim) {
  const std::size_t size = words.size();
  end.resize(size + 1);
  begin.resize(size + 1);
  for (std::size_t i = 0; i <= size; ++i) end[i] = begin[i] = static_cast<std::int32_t>(i);
  if (!trim) return;
  for (std::size_t i = 1; i <= size; ++i)
    if (words[i - 1].count == 0) end[i] = end[i - 1];
  for (std::size_t i = size; i-- > 0;)
    if (words[i].count == 0) begin[i] = begin[i + 1];
}

// The edges of the sentences are linked, begin to begin and end to end, as in Moses.
bool OrientationFinder::linked(std::int32_t source, std::int32_t target) const {
  const auto source_size = narrow<std::int32_t>(pair_.source.size());
  const auto target_size = narrow<std::int32_t>(pair_.target.size());
  if (source == -1 || target == -1) return source == target;
  if (source == source_size || target == target_size) return source == source_size && target == target_size;
  return std::binary_search(pair_.links.begin(), pair_.links.end(), Link{source, target});
}

void OrientationFinder::add_corners(const PhrasePair& block) {
  end_end_.add(block.source_end, block.target_end);
  begin_end_.add(block.source_begin, block.target_end);
  begin_begin_.add(block.source_begin, block.target_begin);
  end_begin_.add(block.source_end, block.target_begin);
}

// All tight blocks, O(source × target) of them.
void OrientationFinder::find_blocks() {
  const std::vector<LinkRange>&source = phrases_->source_words(), &target = phrases_->target_words();
  const auto size = narrow<std::int32_t>(target.size());
  for (std::int32_t begin = 0; begin < size; ++begin) {
    if (target[index(begin)].count == 0) continue;
    std::int32_t first = target[index(begin)].first, last = first - 1;  // source words taken in
    std::int32_t least = begin, greatest = begin;                       // target words they are linked to
    const auto take = [&](std::int32_t s) {
      if (source[index(s)].count == 0) return;
      least = std::min(least, source[index(s)].first);
      greatest = std::max(greatest, source[index(s)].last);
    };
    for (std::int32_t end = begin; end < size; ++end) {
      const LinkRange& word = target[index(end)];
      if (word.count == 0) continue;
      while (first > word.first) take(--first);
      while (last < word.last) take(++last);
      if (least < begin) break;  // no further words can mend that
      if (greatest <= end) add_corners({first, last + 1, begin, end + 1});
    }
  }
}

void OrientationFinder::prepare(const AlignedPair& pair, const InitialPhrases& phrases, OrientationModel model,
                                bool tight) {
  pair_ = pair;
  phrases_ = &phrases;
  const bool fits = (pair.source.size() + 1) * (pair.target.size() + 1) <= largest_grid;
  model_ = fits ? model : OrientationModel::word;
  if (model_ == OrientationModel::word) return;
  const bool blocks = model_ == OrientationModel::hier;
  source_.set(phrases.source_words(), blocks && !tight);
  target_.set(phrases.target_words(), blocks && !tight);
  for (Corners* corners : {&end_end_, &begin_end_, &begin_begin_, &end_begin_})
    corners->clear(pair.source.size(), pair.target.size());
  if (blocks)
    find_blocks();
  else
    for (const PhrasePair& phrase : phrases.phrases()) add_corners(phrase);
}

Orientation OrientationFinder::previous(const PhrasePair& phrase) const {
  const bool left = linked(phrase.source_begin - 1, phrase.target_begin - 1);
  const bool right = linked(phrase.source_end, phrase.target_begin - 1);
  if (model_ == OrientationModel::word) {
    if (left != right) return left ? Orientation::monotone : Orientation::swap;
    if (phrase.target_begin == 0) return Orientation::discontinuous_right;
    const LinkRange& word = phrases_->target_words()[index(phrase.target_begin - 1)];
    return word.count > 0 && word.first >= phrase.source_end ? Orientation::discontinuous_left
                                                             : Orientation::discontinuous_right;
  }
  const std::int32_t target = target_.end[index(phrase.target_begin)];
  if ((left && !right) || end_end_.has(source_.end[index(phrase.source_begin)], target))
    return Orientation::monotone;
  if ((right && !left) || begin_end_.has(source_.begin[index(phrase.source_end)], target))
    return Orientation::swap;
  return begin_end_.greatest(target) >= phrase.source_end ? Orientation::discontinuous_left
                                                          : Orientation::discontinuous_right;
}

Orientation OrientationFinder::next(const PhrasePair& phrase) const {
  const bool right = linked(phrase.source_end, phrase.target_end);
  const bool left = linked(phrase.source_begin - 1, phrase.target_end);
  if (model_ == OrientationModel::word) {
    if (left != right) return right ? Orientation::monotone : Orientation::swap;
    if (index(phrase.target_end) == pair_.target.size()) return Orientation::discontinuous_right;
    const LinkRange& word = phrases_->target_words()[index(phrase.target_end)];
    return word.count > 0 && word.last < phrase.source_begin ? Orientation::discontinuous_left
                                                             : Orientation::discontinuous_right;
  }
  const std::int32_t target = target_.begin[index(phrase.target_end)];
  if ((right && !left) || begin_begin_.has(source_.begin[index(phrase.source_end)], target))
    return Orientation::monotone;
  if ((left && !right) || end_begin_.has(source_.end[index(phrase.source_begin)], target))
    return Orientation::swap;
  return end_begin_.least(target) <= phrase.source_begin ? Orientation::discontinuous_left
                                                         : Orientation::discontinuous_right;
}

}  // namespace tunesmith
