#include "base/files/crc32.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tunesmith {
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320u;  // reflected
constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? polynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t k = 1; k < 8; ++k)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}

constexpr Tables tables = make_tables();

// Computes with the inverted value, which the loops keep.
std::uint32_t by_tables(const unsigned char* at, std::size_t bytes, std::uint32_t state) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; bytes >= 8; at += 8, bytes -= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      word ^= state;
      state = 0;
      for (std::size_t k = 0; k < 8; ++k) state ^= tables[7 - k][word >> 8 * k & 0xFF];
    }
  }
  for (; bytes > 0; ++at, --bytes) state = state >> 8 ^ tables[0][(state ^ *at) & 0xFF];
  return state;
}

#if defined(__x86_64__)
// Gopal et al. (2009), "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel), with
// the constants of section 6 for the reflected polynomial of gzip. Takes at least 64 bytes, a multiple of 16.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_folding(const unsigned char* at, std::size_t bytes,
                                                                  std::uint32_t state) {
  const auto load = [](const unsigned char* from) __attribute__((target("pclmul,sse4.1"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  };
  const auto fold = [](__m128i value, __m128i by, __m128i next) __attribute__((target("pclmul,sse4.1"))) {
    const __m128i low = _mm_clmulepi64_si128(value, by, 0x00), high = _mm_clmulepi64_si128(value, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
  };
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i lanes[4] = {load(at), load(at + 16), load(at + 32), load(at + 48)};
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  at += 64;
  bytes -= 64;
  for (; bytes >= 64; at += 64, bytes -= 64)
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = fold(lanes[i], by_512, load(at + 16 * i));
  __m128i value = lanes[0];
  for (std::size_t i = 1; i < 4; ++i) value = fold(value, by_128, lanes[i]);
  for (; bytes >= 16; at += 16, bytes -= 16) value = fold(value, by_128, load(at));
  // What is left is the remainder of these 16 bytes.
  unsigned char rest[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), value);
  return by_tables(rest, sizeof rest, 0);
}
#endif

}  // namespace

std::uint32_t crc32_by_tables(const void* data, std::size_t bytes, std::uint32_t value) {
  return ~by_tables(static_cast<const unsigned char*>(data), bytes, ~value);
}

std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t value) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint32_t state = ~value;
#if defined(__x86_64__)
  static const bool folds = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (folds && bytes >= 64) {
    const std::size_t folded = bytes / 16 * 16;
    state = by_folding(at, folded, state);
    at += folded;
    bytes -= folded;
  }
#endif
  return ~by_tables(at, bytes, state);
}

std::uint32_t crc32_of_file(int file, std::uint64_t most, std::uint32_t value, std::uint64_t& bytes) {
  std::vector<char> buffer(buffer_bytes);
  while (most > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, buffer.size()));
    const ssize_t found = ::read(file, buffer.data(), wanted);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) throw FileError(std::strerror(errno));
    if (found == 0) break;
    value = crc32(buffer.data(), static_cast<std::size_t>(found), value);
    bytes += static_cast<std::uint64_t>(found);
    most -= static_cast<std::uint64_t>(found);
  }
  return value;
}

}  // namespace tunesmith
