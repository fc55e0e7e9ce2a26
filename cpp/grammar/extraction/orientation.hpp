// Orientation of a phrase pair towards the phrase before and the phrase after it in the translation: the events
// that lexicalised reordering counts (Tillmann 2004; Koehn et al. 2005; Galley and Manning 2008).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/extraction/initial_phrases.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// What stands next to a phrase pair: a word linked to a word, a phrase pair that is extracted, a block of any
// length.
enum class OrientationModel : std::uint8_t { word, phrase, hier };
// Which orientations have a probability. msdn is msd and, as a fourth one, non-monotone: swap or discontinuous
// (Green et al. 2014, section 3.5).
enum class OrientationSet : std::uint8_t { monotonicity, msd, msdn, mslr };

// Left and right are those of Moses: discontinuous_right stands after its predecessor in the source, with words
// in between, or before its successor; discontinuous_left the other way round. Where neither is known, as beyond
// words without links, it is discontinuous_right.
enum class Orientation : std::uint8_t { monotone, swap, discontinuous_left, discontinuous_right };
inline constexpr std::size_t orientation_count = 4;

struct ReorderingOptions {
  OrientationModel model = OrientationModel::word;
  OrientationSet orientations = OrientationSet::msd;
  bool previous = true, next = true;
  double smoothing = 0.5;  // is added to every count

  // Probabilities of one direction, and of all.
  std::size_t kinds() const;
  std::size_t columns() const { return kinds() * (std::size_t{previous} + std::size_t{next}); }
};
// Throws Error for options outside their range.
void check_options(const ReorderingOptions& options);

// How often a phrase pair had each orientation, towards the phrase before and after it.
using OrientationCounts = std::array<std::array<std::uint32_t, orientation_count>, 2>;

// Appends the natural logarithms of the probabilities, (count + smoothing) / (all + n × smoothing) where n
// orientations exclude each other, at least -100, in the order of Moses' tables. Non-monotone is the sum of swap
// and discontinuous in msdn.
void append_log_probabilities(const OrientationCounts& counts, const ReorderingOptions& options,
                              std::vector<float>& out);

// Finds the orientations of the phrase pairs of one sentence pair after the other; keeps its memory in between.
class OrientationFinder {
 public:
  // `phrases` are those extracted from the pair, for the model `phrase`. `tight`: blocks have no unaligned words
  // at their ends. In very long sentences (source × target words beyond 2^26) only linked words are examined.
  void prepare(const AlignedPair& pair, const InitialPhrases& phrases, OrientationModel model, bool tight);

  Orientation previous(const PhrasePair& phrase) const;
  Orientation next(const PhrasePair& phrase) const;

 private:
  // Places between words, as (source, target) positions, where a neighbour begins or ends.
  class Corners {
   public:
    void clear(std::size_t source_size, std::size_t target_size);
    void add(std::int32_t source, std::int32_t target);
    bool has(std::int32_t source, std::int32_t target) const;
    // The source positions of all corners at a target position lie between these; least > greatest if there is
    // none.
    std::int32_t least(std::int32_t target) const { return least_[static_cast<std::size_t>(target)]; }
    std::int32_t greatest(std::int32_t target) const { return greatest_[static_cast<std::size_t>(target)]; }

   private:
    std::size_t width_ = 0;
    std::vector<bool> found_;
    std::vector<std::int32_t> least_, greatest_;
  };
  // For every position between words of a side, the one that corners there are known by: where blocks take
  // unaligned words in at their ends, that of the tight block.
  struct Places {
    std::vector<std::int32_t> end, begin;
    void set(const std::vector<LinkRange>& words, bool trim);
  };

  bool linked(std::int32_t source, std::int32_t target) const;
  void add_corners(const PhrasePair& block);
  void find_blocks();

  OrientationModel model_ = OrientationModel::word;
  AlignedPair pair_;
  const InitialPhrases* phrases_ = nullptr;
  Places source_, target_;
  // Corners of the source side and of the target side: end_begin_ are corners where the source side ends and the
  // target side begins.
  Corners end_end_, begin_end_, begin_begin_, end_begin_;
};

}  // namespace tunesmith
