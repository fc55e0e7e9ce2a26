// Hash functions for tables inside one process. Not stable on disk, not for untrusted keys without comparison.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tunesmith {

// Mixes two words into one by a 128-bit product (the idea of wyhash).
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD1B54A32D192ED03u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(std::string_view text) {
  std::uint64_t state = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    state = mix(state, word);
  }
  std::uint64_t tail = 0;
  for (std::size_t i = 0; i < left; ++i)
    tail |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  return mix(state, tail);
}

}  // namespace tunesmith
