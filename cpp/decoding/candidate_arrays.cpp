#include "decoding/candidate_arrays.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// Numbers of words that pass through: those of the target vocabulary where they are in it, new ones after it.
class PassedWords {
 public:
  PassedWords(const Vocabulary& words, std::vector<std::string>& added) : words_(words), added_(added) {}

  std::uint32_t number(std::string_view word) {
    if (const auto found = words_.find(word)) return static_cast<std::uint32_t>(*found);
    const auto [place, is_new] =
        numbers_.try_emplace(std::string(word), narrow<std::uint32_t>(words_.size() + added_.size()));
    if (is_new) added_.emplace_back(word);
    return place->second;
  }

 private:
  const Vocabulary& words_;
  std::vector<std::string>& added_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

CandidateArrays candidate_arrays(std::span<const Decoded> results, const DecoderModel& model) {
  CandidateArrays out;
  for (const auto& feature : model.features)
    out.state_ids.insert(out.state_ids.end(), feature->dense_ids().begin(), feature->dense_ids().end());
  PassedWords passed(*model.rules.target_words, out.new_words);
  for (const Decoded& decoded : results) {
    const Hypergraph& graph = decoded.graph;
    const Derivations& derivations = decoded.derivations;
    const std::vector<double> states = dense_sums(graph, derivations);
    for (const double state : states) out.states.push_back(static_cast<float>(state));
    const SparseRows<double> pairs = sparse_sums(graph, derivations);
    for (std::size_t i = 0; i < derivations.size(); ++i) {
      out.scores.push_back(derivations.scores[i]);
      const std::size_t first = out.rules.size();
      for (const EdgeId edge : derivations.edges_of(i))
        out.rules.push_back(graph.applications[graph.edge_application[edge]].rule);
      std::sort(out.rules.begin() + static_cast<std::ptrdiff_t>(first), out.rules.end());
      out.rule_offsets.push_back(static_cast<std::int64_t>(out.rules.size()));
      for (std::uint64_t at = pairs.offsets[i]; at < pairs.offsets[i + 1]; ++at) {
        out.pair_ids.push_back(pairs.ids[at]);
        out.pair_values.push_back(static_cast<float>(pairs.values[at]));
      }
      out.pair_offsets.push_back(static_cast<std::int64_t>(out.pair_ids.size()));
      for (const std::int32_t symbol : derivations.words_of(i)) {
        const auto word = static_cast<std::uint32_t>(symbol);
        out.words.push_back(word < graph.vocabulary ? word
                                                    : passed.number(decoded.source_word(word - graph.vocabulary)));
      }
      out.word_offsets.push_back(static_cast<std::int64_t>(out.words.size()));
    }
    out.sentences.push_back(static_cast<std::int64_t>(out.scores.size()));
    out.limited.push_back(decoded.limited);
  }
  return out;
}

}  // namespace tunesmith
