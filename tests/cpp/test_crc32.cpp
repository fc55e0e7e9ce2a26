#include <vector>

#include "base/files/crc32.hpp"
#include "check.hpp"

using namespace tunesmith;

// The check value of the catalogue of CRC algorithms (CRC-32/ISO-HDLC).
TEST(crc32_has_the_check_value) {
  CHECK(crc32("123456789", 9) == 0xCBF43926u);
  CHECK(crc32_by_tables("123456789", 9) == 0xCBF43926u);
  CHECK(crc32(nullptr, 0) == 0);
}

// Any beginning, any length, in one go and in two parts.
TEST(crc32_by_folding_is_that_by_tables) {
  std::vector<unsigned char> data(400);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * i * 37 >> 3);
  for (std::size_t begin = 0; begin < 20; ++begin)
    for (std::size_t size = 0; begin + size <= data.size(); size += 1 + size / 8) {
      const unsigned char* at = data.data() + begin;
      const std::uint32_t whole = crc32_by_tables(at, size, 99);
      CHECK(crc32(at, size, 99) == whole);
      CHECK(crc32(at + size / 3, size - size / 3, crc32(at, size / 3, 99)) == whole);
    }
}
