#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "grammar/extraction/extract.hpp"

namespace tunesmith::bind {
namespace {

// The links of one sentence pair, checked.
Alignments alignment_of(std::size_t source_size, std::size_t target_size,
                        const std::vector<std::pair<int, int>>& links) {
  Alignments all;
  std::vector<Link> given;
  for (const auto& [s, t] : links) {
    if (s < 0 || t < 0 || static_cast<std::size_t>(s) >= source_size || static_cast<std::size_t>(t) >= target_size)
      throw Error("link " + std::to_string(s) + "-" + std::to_string(t) + " points outside the sentences");
    given.push_back({s, t});
  }
  all.add(std::move(given));
  return all;
}

// Occurrences as Python tuples, for tests and for looking at one sentence pair.
template <class Options>
nb::typed<nb::list, nb::any> extract_pair(const std::vector<WordId>& source, const std::vector<WordId>& target,
                                          const std::vector<std::pair<int, int>>& links, const Options& options,
                                          auto&& run) {
  check_options(options);
  const Alignments all = alignment_of(source.size(), target.size(), links);
  RuleExtractor extractor;
  Occurrences found;
  run(extractor, AlignedPair{source, target, all.of(0)}, found);
  nb::list out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RuleView rule = found.rule(i);
    nb::list f, e, a;
    for (const Symbol symbol : rule.source) f.append(symbol);
    for (const Symbol symbol : rule.target) e.append(symbol);
    for (const RuleLink& link : rule.links) a.append(nb::make_tuple(link.source, link.target));
    out.append(nb::make_tuple(nb::tuple(f), nb::tuple(e), nb::tuple(a), found.shared_by(i)));
  }
  return out;
}

}  // namespace

void bind_extraction(nb::module_& m) {
  m.def(
      "extract_phrases",
      [](const std::vector<WordId>& source, const std::vector<WordId>& target,
         const std::vector<std::pair<int, int>>& links, const PhraseOptions& options) {
        return extract_pair(source, target, links, options,
                            [&](RuleExtractor& extractor, const AlignedPair& pair, Occurrences& found) {
                              extractor.phrases(pair, options, found);
                            });
      },
      "source"_a, "target"_a, "links"_a, "options"_a,
      "Phrase pairs of one sentence pair: (source, target, links, shared_by) per occurrence.");
  m.def(
      "phrase_orientations",
      [](std::size_t source_size, std::size_t target_size, const std::vector<std::pair<int, int>>& links,
         const PhraseOptions& options, OrientationModel model) {
        check_options(options);
        const Alignments all = alignment_of(source_size, target_size, links);
        const std::vector<WordId> source(source_size), target(target_size);
        const AlignedPair pair{source, target, all.of(0)};
        InitialPhrases phrases;
        phrases.find(pair, options.max_length, options.tight);
        OrientationFinder finder;
        finder.prepare(pair, phrases, model, options.tight);
        std::vector<std::tuple<int, int, int, int, int, int>> out;
        for (const PhrasePair& phrase : phrases.phrases())
          out.emplace_back(phrase.source_begin, phrase.source_end, phrase.target_begin, phrase.target_end,
                           static_cast<int>(finder.previous(phrase)), static_cast<int>(finder.next(phrase)));
        return out;
      },
      "source_size"_a, "target_size"_a, "links"_a, "options"_a, "model"_a,
      "Phrase pairs of one sentence pair as (source begin, end, target begin, end, orientation towards the phrase "
      "before, after), for tests: 0 monotone, 1 swap, 2 discontinuous to the left, 3 to the right.");
  m.def(
      "extract_hiero",
      [](const std::vector<WordId>& source, const std::vector<WordId>& target,
         const std::vector<std::pair<int, int>>& links, const HieroOptions& options) {
        return extract_pair(source, target, links, options,
                            [&](RuleExtractor& extractor, const AlignedPair& pair, Occurrences& found) {
                              extractor.hiero(pair, options, found);
                            });
      },
      "source"_a, "target"_a, "links"_a, "options"_a,
      "Hierarchical rules of one sentence pair: (source, target, links, shared_by) per occurrence.");
}

}  // namespace tunesmith::bind
