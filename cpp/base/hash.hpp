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

// The bytes of a text of at most eight bytes as one number: equal numbers and equal lengths mean equal texts.
inline std::uint64_t pack_bytes(std::string_view text) {
  const char* at = text.data();
  const std::size_t size = text.size();
  if (size >= 4) {
    std::uint32_t low, high;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + size - 4, 4);
    // Bytes in the middle of a text shorter than eight are in both halves; together they determine the text.
    return (static_cast<std::uint64_t>(high) << 32) | low;
  }
  if (size == 0) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])); };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

// A number that stands for a text: of up to eight bytes every one of them (so that equal numbers and equal lengths
// mean equal texts), of a longer text a hash. Not mixed: use hash_bytes to choose a slot.
inline std::uint64_t key_bytes(std::string_view text) {
  if (text.size() <= 8) return pack_bytes(text);
  std::uint64_t state = text.size();
  std::size_t at = 0;
  for (; at + 8 < text.size(); at += 8) state = mix(state, pack_bytes(text.substr(at, 8)));
  return mix(state, pack_bytes(text.substr(text.size() - 8)));
}

inline std::uint64_t hash_bytes(std::string_view text) {
  return mix(key_bytes(text), text.size());
}

}  // namespace tunesmith
