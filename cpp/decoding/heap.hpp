// A priority queue for the innermost loop of search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tunesmith {

// A heap like std::priority_queue, with what search needs in addition: all entries at once, and replacement of
// the top one, which costs half of pop() and push(). Four children a node: fewer cache lines on the way down.
// First(a, b): whether a must come before b.
template <class Entry, class First>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_.front(); }
  void clear() { entries_.clear(); }

  // Appends an entry; arrange() must follow before anything else.
  void append(const Entry& entry) { entries_.push_back(entry); }
  void arrange() {
    if (entries_.size() < 2) return;
    for (std::size_t at = (entries_.size() - 2) / arity + 1; at-- > 0;) sink(at, Entry(entries_[at]));
  }

  void push(const Entry& entry) {
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    while (at > 0) {
      const std::size_t parent = (at - 1) / arity;
      if (!first_(entry, entries_[parent])) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = entry;
  }

  void replace_top(const Entry& entry) { sink(0, entry); }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(0, last);
  }

 private:
  static constexpr std::size_t arity = 4;  // `sink` compares four children in two pairs

  void sink(std::size_t at, const Entry& entry) {
    const std::size_t size = entries_.size();
    for (;;) {
      const std::size_t begin = arity * at + 1;
      if (begin >= size) break;
      std::size_t best = begin;
      if (begin + arity <= size) {  // nearly always; in pairs, which do not wait for one another
        const std::size_t left = begin + (first_(entries_[begin + 1], entries_[begin]) ? 1 : 0);
        const std::size_t right = begin + 2 + (first_(entries_[begin + 3], entries_[begin + 2]) ? 1 : 0);
        best = first_(entries_[right], entries_[left]) ? right : left;
      } else {
        for (std::size_t child = begin + 1; child < size; ++child)
          if (first_(entries_[child], entries_[best])) best = child;
      }
      if (!first_(entries_[best], entry)) break;
      entries_[at] = entries_[best];
      at = best;
    }
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;
  [[no_unique_address]] First first_;
};

}  // namespace tunesmith
