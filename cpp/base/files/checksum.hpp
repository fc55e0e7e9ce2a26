// A fast checksum for files: finds damage, gives no protection against malice. Stable on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tunesmith {

// 64 bits over `bytes` bytes. Every step is one to one in the data word, so a change within one word is always
// noticed; four lanes, so that it runs at the speed of memory.
inline std::uint64_t checksum(const void* data, std::size_t bytes) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
  const auto turn = [](std::uint64_t x) { return x << 29 | x >> 35; };
  std::uint64_t lane[4] = {bytes, 1, 2, 3};
  const char* at = static_cast<const char*>(data);
  const char* const end = at + bytes;
  for (; end - at >= 32; at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, 32);
    for (int i = 0; i < 4; ++i) lane[i] = turn((lane[i] ^ words[i]) * odd);
  }
  for (int i = 0; at < end; ++i) {
    std::uint64_t word = 0;
    const auto size = static_cast<std::size_t>(end - at < 8 ? end - at : 8);
    std::memcpy(&word, at, size);
    lane[i] = turn((lane[i] ^ word) * odd);
    at += size;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t x : lane) {
    sum = turn((sum ^ x) * odd);
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace tunesmith
