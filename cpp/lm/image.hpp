// A model as one block of bytes: what is in memory is what is in the binary file, so loading is mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lm/tables.hpp"

namespace tunesmith::lm {

// The numbers that determine where everything is.
struct ImageSizes {
  std::uint64_t order = 0;
  std::uint64_t vocabulary = 0, word_slots = 0, text = 0;
  std::uint64_t ngrams[max_order] = {};                        // [n - 1]
  std::uint64_t homes[max_order] = {}, slots[max_order] = {};  // of the tables of order 2 and above
};

class Image {
 public:
  static constexpr char magic[16] = "tunesmith-lm 1\n";

  // A zeroed image of these sizes, to be filled through the spans and then sealed.
  explicit Image(const ImageSizes& sizes);
  // The image in a file, by memory map. Checked: header, sizes, words and unigrams always; the n-gram tables as a
  // whole in files of up to `whole_up_to` bytes, otherwise in 64 places and the rest by `check_blocks`. Throws
  // Error with the reason. The caller closes `file`; `name` is for messages.
  static std::shared_ptr<const Image> map(int file, const std::string& name, std::uint64_t whole_up_to);
  // A copy of the image in these bytes, all of it checked.
  static std::shared_ptr<const Image> copy(std::span<const char> bytes);
  ~Image();
  Image(const Image&) = delete;

  // Computes the checksums; the image is complete.
  void seal();

  // Blocks of `block_bytes` that have a checksum each.
  std::uint64_t block_count() const;
  // Compares blocks `begin` to `end` with their checksums, read through a buffer: pages of the map are not
  // touched.
  void check_blocks(std::uint64_t begin, std::uint64_t end) const;

  int order() const { return static_cast<int>(sizes().order); }
  const ImageSizes& sizes() const;
  std::span<const char> bytes() const { return {data_, size_}; }

  std::span<WordSlot> word_slots() const { return section<WordSlot>(word_slots_at_, sizes().word_slots); }
  std::span<std::uint64_t> word_begins() const {
    return section<std::uint64_t>(word_begins_at_, sizes().vocabulary + 1);
  }
  std::span<char> text() const { return section<char>(text_at_, sizes().text); }
  std::span<Weights> unigrams() const { return section<Weights>(unigrams_at_, sizes().vocabulary); }
  // Orders 2 to order() - 1.
  std::span<MiddleSlot> middle(int n) const {
    return section<MiddleSlot>(tables_at_[n - 1], sizes().slots[n - 1]);
  }
  // The highest order, if it is not 1.
  std::span<LongestSlot> longest() const {
    return section<LongestSlot>(tables_at_[order() - 1], sizes().slots[order() - 1]);
  }
  std::uint64_t homes(int n) const { return sizes().homes[n - 1]; }

 private:
  struct Header;
  Image() = default;

  template <class T>
  std::span<T> section(std::uint64_t at, std::uint64_t count) const {
    return {reinterpret_cast<T*>(data_ + at), static_cast<std::size_t>(count)};
  }
  Header& header() const;
  void lay_out(const ImageSizes& sizes);
  void check(std::uint64_t whole_up_to) const;
  void check_header() const;
  void check_words() const;
  std::uint64_t block_checksum(std::uint64_t block) const;
  void check_block(std::uint64_t block, std::uint64_t found) const;

  char* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
  int file_ = -1;  // of the map
  std::uint64_t checksums_at_ = 0, word_slots_at_ = 0, word_begins_at_ = 0, text_at_ = 0, unigrams_at_ = 0;
  std::uint64_t tables_at_[max_order] = {};
  std::uint64_t end_ = 0;
};

}  // namespace tunesmith::lm
