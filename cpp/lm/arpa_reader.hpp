// ARPA text, piece by piece, to a model. Strict: what cannot be a whole and consistent model is refused with the
// line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lm/builder.hpp"
#include "lm/image.hpp"

namespace tunesmith::lm {

class ArpaReader {
 public:
  // The next bytes of the file, cut anywhere. Throws LineError.
  void add(std::string_view bytes);
  // The end of the file. Throws LineError if something is missing.
  std::shared_ptr<const Image> finish();
  // What the reader of the file should be told, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  enum class Part { before, counts, ngrams, after };

  void check_length(std::string_view line);
  void read_line(std::string_view line);
  void read_before(std::string_view line);
  void read_count(std::string_view line);
  void read_section(std::string_view line);
  void read_ngram(std::string_view line);
  void end_section();
  float read_number(std::string_view text, const char* what) const;
  std::uint32_t read_word(std::string_view text) const;
  [[noreturn]] void fail(const std::string& message) const;

  Part part_ = Part::before;
  std::int64_t line_ = 0;
  std::string unfinished_;
  std::vector<std::uint64_t> counts_;
  std::optional<Builder> builder_;
  int section_ = 0;
  bool in_section_ = false;
  std::uint64_t read_ = 0;  // n-grams of this section
  std::vector<std::string> notes_;
};

}  // namespace tunesmith::lm
