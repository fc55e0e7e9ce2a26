#include "lm/image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/temporary_file.hpp"
#include "base/utf8.hpp"

namespace tunesmith::lm {
namespace {

constexpr std::uint32_t version = 1, native_order = 0x01020304;
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t places_checked = 64;
constexpr std::uint64_t most = std::uint64_t{1} << 48;  // of anything; keeps sums of sizes from overflowing

// Large pages where the system has them: a look at a large table then misses one cache less.
char* allocate(std::size_t bytes) {
  constexpr std::size_t large = std::size_t{2} << 20;
  const std::size_t page = bytes >= large ? large : 64;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  void* data = std::aligned_alloc(page, rounded);
  if (data == nullptr) throw FileError("no memory for a model of " + std::to_string(bytes) + " bytes");
#ifdef MADV_HUGEPAGE
  if (page == large) ::madvise(data, rounded, MADV_HUGEPAGE);
#endif
  return static_cast<char*>(data);
}

[[noreturn]] void damaged(const std::string& what) {
  throw Error("the binary model is damaged: " + what + ". Make it again with: tunesmith lm convert");
}

}  // namespace

struct Image::Header {
  char magic[16];
  std::uint32_t byte_order, version;
  std::uint64_t file_size;
  std::uint64_t fingerprint;  // of the functions that make keys
  ImageSizes sizes;
  std::uint64_t checksum_of_checksums;
  std::uint64_t checksum;  // of all above
};

Image::Header& Image::header() const {
  return *reinterpret_cast<Header*>(data_);
}

const ImageSizes& Image::sizes() const {
  return header().sizes;
}

// Header, checksums of blocks, words, unigrams, then the tables; each at a multiple of 64 bytes.
void Image::lay_out(const ImageSizes& sizes) {
  std::uint64_t at = 0;
  const auto place = [&at](std::uint64_t bytes) {
    const std::uint64_t begin = at;
    at = (at + bytes + 63) / 64 * 64;
    return begin;
  };
  const auto place_data = [&] {
    word_slots_at_ = place(sizes.word_slots * sizeof(WordSlot));
    word_begins_at_ = place((sizes.vocabulary + 1) * sizeof(std::uint64_t));
    text_at_ = place(sizes.text);
    unigrams_at_ = place(sizes.vocabulary * sizeof(Weights));
    for (std::uint64_t n = 2; n <= sizes.order; ++n)
      tables_at_[n - 1] =
          place(sizes.slots[n - 1] * (n == sizes.order ? sizeof(LongestSlot) : sizeof(MiddleSlot)));
  };
  place_data();
  const std::uint64_t blocks = (at + block_bytes - 1) / block_bytes;  // data alone
  at = 0;
  place(sizeof(Header));
  checksums_at_ = place(blocks * sizeof(std::uint64_t));
  place_data();
  end_ = at;
}

std::uint64_t Image::block_count() const {
  return (end_ - word_slots_at_ + block_bytes - 1) / block_bytes;
}

std::uint64_t Image::block_checksum(std::uint64_t block) const {
  const std::uint64_t begin = word_slots_at_ + block * block_bytes;
  return tunesmith::checksum(data_ + begin, std::min(block_bytes, end_ - begin));
}

Image::Image(const ImageSizes& sizes) {
  lay_out(sizes);
  size_ = static_cast<std::size_t>(end_);
  data_ = allocate(size_);
  std::memset(data_, 0, size_);
  Header& head = header();
  std::memcpy(head.magic, magic, sizeof magic);
  head.byte_order = native_order;
  head.version = version;
  head.file_size = size_;
  head.fingerprint = hashing_fingerprint();
  head.sizes = sizes;
}

void Image::seal() {
  const auto sums = section<std::uint64_t>(checksums_at_, block_count());
  for (std::uint64_t i = 0; i < sums.size(); ++i) sums[i] = block_checksum(i);
  header().checksum_of_checksums = tunesmith::checksum(sums.data(), sums.size_bytes());
  header().checksum = tunesmith::checksum(data_, offsetof(Header, checksum));
}

Image::~Image() {
  if (mapped_)
    ::munmap(data_, size_);
  else
    std::free(data_);
  if (file_ >= 0) ::close(file_);
}

void Image::check_header() const {
  if (size_ < sizeof magic || std::memcmp(data_, magic, sizeof magic) != 0)
    throw Error("this is not a binary model of tunesmith");
  if (size_ < sizeof(Header)) damaged("it ends within its header");
  const Header& head = header();
  if (head.byte_order == __builtin_bswap32(native_order))
    throw Error(
        "the binary model was made on a machine with the other byte order; make it again here from the ARPA file");
  if (head.version != version)
    throw Error("the binary model has version " + std::to_string(head.version) + ", this program reads version " +
                std::to_string(version) + "; make it again with: tunesmith lm convert");
  if (tunesmith::checksum(data_, offsetof(Header, checksum)) != head.checksum)
    damaged("the checksum of its header is wrong");
  if (head.fingerprint != hashing_fingerprint())
    throw Error(
        "the binary model was made by a version of this program that makes other keys; make it again with: "
        "tunesmith lm convert");
  const ImageSizes& s = head.sizes;
  bool good = s.order >= 1 && s.order <= max_order && s.vocabulary >= 3 &&
              s.vocabulary < (std::uint64_t{1} << 31) && std::has_single_bit(s.word_slots) &&
              s.word_slots < most && s.word_slots > s.vocabulary && s.text < most;
  for (std::uint64_t n = 2; good && n <= s.order; ++n)
    good = s.slots[n - 1] < most && s.homes[n - 1] >= 1 && s.homes[n - 1] < s.slots[n - 1];
  if (!good) damaged("its header holds impossible sizes");
  if (head.file_size != size_)
    damaged("it has " + std::to_string(size_) + " bytes, but had " + std::to_string(head.file_size) +
            " when it was written; was it cut off?");
}

void Image::check(std::uint64_t whole_up_to) const {
  if (end_ != size_) damaged("its sizes do not agree");
  const auto sums = section<std::uint64_t>(checksums_at_, block_count());
  if (tunesmith::checksum(sums.data(), sums.size_bytes()) != header().checksum_of_checksums)
    damaged("the list of checksums is wrong");
  const auto is_empty = [&](std::uint64_t begin, std::uint64_t end) {
    return std::all_of(data_ + begin, data_ + end, [](char byte) { return byte == 0; });
  };
  if (!is_empty(sizeof(Header), checksums_at_) || !is_empty(checksums_at_ + sums.size_bytes(), word_slots_at_))
    damaged("there is something between its parts");
  const auto look_at = [&](std::uint64_t block) { check_block(block, block_checksum(block)); };
  const std::uint64_t after_words = unigrams_at_ + sizes().vocabulary * sizeof(Weights) - word_slots_at_;
  const std::uint64_t first = std::min<std::uint64_t>(sums.size(), after_words / block_bytes + 1);
  for (std::uint64_t i = 0; i < first; ++i) look_at(i);
  const std::uint64_t rest = sums.size() - first;
  if (size_ <= whole_up_to)
    for (std::uint64_t i = first; i < sums.size(); ++i) look_at(i);
  else
    for (std::uint64_t i = 0; rest > 0 && i < places_checked; ++i) look_at(first + rest * i / places_checked);
  check_words();
}

void Image::check_block(std::uint64_t block, std::uint64_t found) const {
  if (found != section<std::uint64_t>(checksums_at_, block_count())[block])
    damaged("wrong checksum behind byte " + std::to_string(word_slots_at_ + block * block_bytes));
}

void Image::check_blocks(std::uint64_t begin, std::uint64_t end) const {
  std::vector<char> buffer(block_bytes);
  for (std::uint64_t block = begin; block < std::min(end, block_count()); ++block) {
    const std::uint64_t at = word_slots_at_ + block * block_bytes;
    const auto size = static_cast<std::size_t>(std::min(block_bytes, end_ - at));
    if (file_ < 0) {
      check_block(block, block_checksum(block));
      continue;
    }
    for (std::size_t have = 0; have < size;) {
      const ssize_t more = ::pread(file_, buffer.data() + have, size - have, static_cast<off_t>(at + have));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) throw FileError(std::string("cannot be read (") + std::strerror(errno) + ")");
      if (more == 0) damaged("it ends within its tables");
      have += static_cast<std::size_t>(more);
    }
    check_block(block, tunesmith::checksum(buffer.data(), size));
  }
}

// What an access out of bounds could come from.
void Image::check_words() const {
  const auto begins = word_begins();
  bool good = begins.front() == 0 && begins.back() == sizes().text && std::is_sorted(begins.begin(), begins.end());
  std::uint64_t taken = 0;
  for (const WordSlot& slot : word_slots()) {
    taken += slot.length != 0;
    good = good && slot.id < sizes().vocabulary;
  }
  good = good && taken == sizes().vocabulary;
  for (int n = 2; n < order(); ++n) good = good && middle(n).back().key == 0;
  if (order() > 1) good = good && longest().back().key() == 0;
  if (!good) damaged("its tables do not agree");
  const std::string_view words(text().data(), text().size());
  good = is_utf8_text(words);
  for (const std::uint64_t begin : begins)  // inside of no character
    good = good && (begin == words.size() || (static_cast<unsigned char>(words[begin]) & 0xC0) != 0x80);
  if (!good) damaged("its words are not UTF-8");
}

std::shared_ptr<const Image> Image::map(int file, const std::string& name, std::uint64_t whole_up_to) {
  struct stat status;
  void* data = MAP_FAILED;
  if (::fstat(file, &status) == 0 && status.st_size > 0)
    data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, file, 0);
  const int own = data == MAP_FAILED ? -1 : ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    const int why = errno;
    if (data != MAP_FAILED) ::munmap(data, static_cast<std::size_t>(status.st_size));
    throw FileError(name + ": cannot be mapped (" + std::strerror(why) + ")");
  }
  std::shared_ptr<Image> image(new Image());
  image->file_ = own;
  image->data_ = static_cast<char*>(data);
  image->size_ = static_cast<std::size_t>(status.st_size);
  image->mapped_ = true;
  image->check_header();
  image->lay_out(image->sizes());
  image->check(whole_up_to);
  return image;
}

std::shared_ptr<const Image> Image::copy(std::span<const char> bytes) {
  std::shared_ptr<Image> image(new Image());
  image->data_ = allocate(bytes.size());
  std::copy(bytes.begin(), bytes.end(), image->data_);
  image->size_ = bytes.size();
  image->check_header();
  image->lay_out(image->sizes());
  image->check(image->size_);
  return image;
}

}  // namespace tunesmith::lm
