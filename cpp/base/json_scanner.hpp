// Reads the JSON of one line value by value, without building a tree.
//
// It is our own because values go straight into the arrays of a list: msgspec in Python, which makes an object of
// every line and number, takes six times as long for the same lists (benchmarks/speed_nbest.py).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tunesmith {

// `text` is valid UTF-8. Text that is not JSON (RFC 8259) is an Error that says where; so is NUL and half a
// surrogate pair in a string, which could not be written to a text file, and nesting deeper than `deepest`.
class JsonScanner {
 public:
  static constexpr std::size_t deepest = 1000;

  explicit JsonScanner(std::string_view text) : text_(text) {}

  // The first character of the next value; 0 at the end.
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // Begins an object, whose members follow. Objects and lists inside of it are read by `members` and `elements`.
  void begin_object() {
    expect('{');
    first_ = true;
  }
  // Reads the next key into `key`; false at the end of the object, which is then read.
  bool next_key(std::string& key) {
    if (peek() == '}' && (first_ || closes_)) {
      ++at_;
      return false;
    }
    if (!first_) expect(',');
    first_ = false;
    closes_ = false;
    key.clear();
    const std::string_view read = string(key);
    if (read.data() != key.data()) key.assign(read);
    expect(':');
    return true;
  }
  // To be called when the value of a key was read.
  void end_member() { closes_ = true; }

  // Calls read(key), which reads the value, for every member of the object that follows.
  template <class Read>
  void members(std::string& key, Read read) {
    inside('{', '}', [&] {
      key.clear();
      const std::string_view found = string(key);
      if (found.data() != key.data()) key.assign(found);
      expect(':');
      read(key);
    });
  }
  // Calls read(), which reads one, for every element of the list that follows.
  template <class Read>
  void elements(Read read) {
    inside('[', ']', read);
  }

  // The text of a string: a part of the line, or of `room` where it has escapes.
  std::string_view string(std::string& room);
  // The characters of a number.
  std::string_view number();
  // The characters of any value.
  std::string_view skip();
  // Nothing but blanks may follow.
  void end() {
    if (peek() != '\0' || at_ < text_.size()) fail("something follows the value");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("this is not JSON (" + what + " at character " + std::to_string(at_ + 1) + ")");
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  template <class Read>
  void inside(char begin, char end, Read read) {
    expect(begin);
    if (peek() != end) {
      read();
      while (peek() == ',') {
        ++at_;
        read();
      }
    }
    expect(end);
  }
  void expect(char wanted) {
    if (peek() != wanted) fail(std::string{'\'', wanted, '\''} + " is missing");
    ++at_;
  }
  void literal(std::string_view word);
  unsigned hexadecimal();
  void escape(std::string& room);
  void skip_value(std::size_t depth);

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = false, closes_ = false;
};

}  // namespace tunesmith
