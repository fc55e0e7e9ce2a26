// Lines out of blocks of bytes, for readers of long files: no Python object per line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace tunesmith {

// Calls a visitor for every line, without its end (LF or CRLF). A byte-order mark at the start is skipped. A line
// that is not UTF-8 text, holds NUL or a carriage return, or is longer than `longest`, is a LineError.
class LineSplitter {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 26;

  // The next bytes of the file. `visit(line)` may throw Error, which gets the number of the line.
  template <class Visit>
  void add(std::string_view block, Visit visit) {
    std::size_t begin = 0;
    for (std::size_t end = block.find('\n'); end != std::string_view::npos; end = block.find('\n', begin)) {
      const std::string_view piece = block.substr(begin, end - begin);
      if (rest_.empty()) {
        one(piece, visit);
      } else {
        rest_.append(piece);
        one(rest_, visit);
        rest_.clear();
      }
      begin = end + 1;
    }
    rest_.append(block.substr(begin));
    if (rest_.size() > longest) throw LineError(lines_ + 1, "the line has more than 64 MiB; is this a text?");
  }
  // The last line, if the file does not end with a line end.
  template <class Visit>
  void finish(Visit visit) {
    if (!rest_.empty()) one(rest_, visit);
    rest_.clear();
  }
  // From now on a line that cannot be used is handed over, with its number and what is wrong, and the next one
  // is read. Only a line that is too long still ends the reading.
  void leave_out(std::function<void(std::int64_t, const char*)> bad) { bad_ = std::move(bad); }
  // How many lines there were.
  std::int64_t lines() const { return lines_; }

 private:
  template <class Visit>
  void one(std::string_view line, Visit visit) {
    ++lines_;
    if (!bad_) return checked(line, visit);
    try {
      checked(line, visit);
    } catch (const Error& error) {
      bad_(lines_, error.what());
    }
  }

  template <class Visit>
  void checked(std::string_view line, Visit visit) {
    if (lines_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_utf8_text(line)) throw LineError(lines_, "the line is not UTF-8 text");
    if (line.find('\r') != std::string_view::npos)
      throw LineError(lines_, "carriage return inside the line; lines end in LF or CRLF");
    try {
      visit(line);
    } catch (const LineError&) {
      throw;
    } catch (const Error& error) {
      throw LineError(lines_, error.what());
    }
  }

  std::string rest_;
  std::int64_t lines_ = 0;
  std::function<void(std::int64_t, const char*)> bad_;
};

}  // namespace tunesmith
