#include "corpus/subwords.hpp"

#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::string_view bpe_mark = "@@", word_mark = "\xE2\x96\x81";
constexpr WordId boundary = -1;

// Pieces as texts without marks and the boundaries of words between them.
class Pieces {
 public:
  Pieces(std::span<const std::string_view> vocabulary, SubwordMarks marks) {
    for (const std::string_view piece : vocabulary) {
      if (marks == SubwordMarks::bpe)
        add_bpe(piece);
      else
        add_sentencepiece(piece);
      begins_.push_back(symbols_.size());
    }
  }

  std::size_t size() const { return begins_.size() - 1; }
  std::size_t different() const { return table_.size(); }
  std::span<const WordId> of(std::uint32_t piece) const {
    return {symbols_.data() + begins_[piece], begins_[piece + 1] - begins_[piece]};
  }
  std::string_view text(WordId symbol) const { return table_.word(symbol); }

 private:
  void add_bpe(std::string_view piece) {
    const bool continued = piece.ends_with(bpe_mark);
    if (continued) piece.remove_suffix(bpe_mark.size());
    add_text(piece);
    if (!continued) symbols_.push_back(boundary);
  }

  void add_sentencepiece(std::string_view piece) {
    for (std::size_t at = piece.find(word_mark); at != std::string_view::npos; at = piece.find(word_mark)) {
      add_text(piece.substr(0, at));
      symbols_.push_back(boundary);
      piece.remove_prefix(at + word_mark.size());
    }
    add_text(piece);
  }

  void add_text(std::string_view text) {
    if (!text.empty()) symbols_.push_back(table_.add(text));
  }

  WordTable table_;
  std::vector<WordId> symbols_;
  std::vector<std::size_t> begins_{0};
};

struct HashSymbols {
  using is_transparent = void;
  std::size_t operator()(std::u32string_view symbols) const {
    return hash_bytes({reinterpret_cast<const char*>(symbols.data()), symbols.size() * sizeof(char32_t)});
  }
};

// The words that sequences of pieces make, each spelt out when it is first met.
class Joiner {
 public:
  Joiner(const Pieces& pieces, WordTable& words)
      : pieces_(pieces), words_(words), alone_(pieces.different(), WordTable::none) {}

  void add(WordId symbol) { word_.push_back(static_cast<char32_t>(symbol)); }

  // Ends the word, if one has begun, and adds it to `out`.
  void end(std::vector<std::uint32_t>& out) {
    if (word_.empty()) return;
    const WordId word = word_.size() == 1 ? alone() : several();
    out.push_back(static_cast<std::uint32_t>(word));
    word_.clear();
  }

 private:
  WordId alone() {
    WordId& known = alone_[word_.front()];
    if (known == WordTable::none) known = spelt();
    return known;
  }

  WordId several() {
    const auto found = known_.find(std::u32string_view(word_));
    if (found != known_.end()) return found->second;
    return known_.emplace(word_, spelt()).first->second;
  }

  WordId spelt() {
    text_.clear();
    for (const char32_t symbol : word_) text_ += pieces_.text(static_cast<WordId>(symbol));
    return words_.add(text_);
  }

  const Pieces& pieces_;
  WordTable& words_;
  std::vector<WordId> alone_;
  std::unordered_map<std::u32string, WordId, HashSymbols, std::equal_to<>> known_;
  std::u32string word_;
  std::string text_;
};

}  // namespace

JoinedWords join_pieces(std::span<const std::string_view> vocabulary, std::span<const std::uint32_t> ids,
                        std::span<const std::int64_t> offsets, SubwordMarks marks) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != narrow<std::int64_t>(ids.size()))
    throw Error("offsets of words must rise from 0 to the number of words");
  const Pieces pieces(vocabulary, marks);
  JoinedWords joined;
  joined.ids.reserve(ids.size());
  joined.offsets.reserve(offsets.size());
  joined.offsets.push_back(0);
  Joiner joiner(pieces, joined.table);
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    if (offsets[sentence + 1] < offsets[sentence] || offsets[sentence + 1] > offsets.back())
      throw Error("offsets of words must rise");
    for (std::int64_t at = offsets[sentence]; at < offsets[sentence + 1]; ++at) {
      const std::uint32_t piece = ids[static_cast<std::size_t>(at)];
      if (piece >= pieces.size()) throw Error("word " + std::to_string(piece) + " is not in the vocabulary");
      for (const WordId symbol : pieces.of(piece)) {
        if (symbol == boundary)
          joiner.end(joined.ids);
        else
          joiner.add(symbol);
      }
    }
    joiner.end(joined.ids);
    joined.offsets.push_back(narrow<std::int64_t>(joined.ids.size()));
  }
  return joined;
}

}  // namespace tunesmith
