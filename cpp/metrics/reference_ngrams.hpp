// The n-grams of the references of many sentences, ready to be matched with any number of hypotheses.
//
// Each sentence has a small trie of its references' n-grams. Words and edges are found by hashing and then
// compared, so matching is exact. An n-gram counts as often as in the reference that has it most often
// (Papineni et al. 2002, "maximum reference count"). A reference given twice for one sentence (padding) is read
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunesmith {

class ReferenceNgrams {
 public:
  // order: longest n-gram, 1 to 9.
  explicit ReferenceNgrams(int order);

  // Adds the next sentence with its references, at least one. Cost: linear in their n-grams.
  void add(std::span<const std::string_view> references);

  int order() const { return order_; }
  std::size_t size() const { return sentences_.size(); }
  // Lengths in words of the different references of a sentence, in the order given.
  std::span<const std::uint32_t> lengths(std::size_t sentence) const;
  // Number of different references of a sentence.
  std::size_t reference_count(std::size_t sentence) const { return lengths(sentence).size(); }

  // NIST information weights, one per n-gram node: log2(count(w1..wn-1) / count(w1..wn)) over all references
  // of all sentences (Doddington 2002, eq. 2). Call once, after the last add().
  void compute_information();
  bool has_information() const { return !information_.empty(); }

  // Matches hypotheses with one sentence's references. Holds scratch memory: one Matcher per thread.
  class Matcher {
   public:
    explicit Matcher(const ReferenceNgrams& references) : references_(references) {}
    // Clipped matches of each order in `matches[0..order)`; with information also their summed weights.
    // Returns the length of the hypothesis in words.
    std::size_t match(std::size_t sentence, std::string_view hypothesis, double* matches, bool weighted);

   private:
    const ReferenceNgrams& references_;
    std::vector<std::uint32_t> words_;
    std::vector<std::uint32_t> used_;
    std::vector<std::uint32_t> touched_;
  };

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  struct WordSlot {
    std::uint32_t hash, id, begin, length;  // begin: offset in the sentence's text
  };
  struct EdgeSlot {
    std::uint32_t parent, word, child;
  };
  struct Node {
    std::uint32_t parent, word;      // parent is `none` for single words, which come first: node id = word id
    std::uint32_t most, everywhere;  // occurrences in the reference that has most, and in all of them
  };
  struct Sentence {
    std::size_t words, edges, nodes, lengths, text;  // where its part of each array begins
    std::uint32_t word_mask, edge_mask, node_count, reference_count;
  };

  std::uint32_t find_word(const Sentence& sentence, std::string_view word) const;
  std::uint32_t find_edge(const Sentence& sentence, std::uint32_t parent, std::uint32_t word) const;

  int order_;
  std::vector<Sentence> sentences_;
  std::vector<WordSlot> words_;
  std::vector<EdgeSlot> edges_;
  std::vector<Node> nodes_;
  std::vector<double> information_;  // per node
  std::vector<std::uint32_t> lengths_;
  std::string text_;
};

}  // namespace tunesmith
