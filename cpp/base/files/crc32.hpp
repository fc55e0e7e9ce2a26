// CRC-32 as in zlib and gzip, at the speed of memory where the processor multiplies without carry.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tunesmith {

// The CRC-32 of bytes that follow others whose CRC-32 is `value`.
std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t value = 0);

// The same, eight bytes at a time through tables, on any processor.
std::uint32_t crc32_by_tables(const void* data, std::size_t bytes, std::uint32_t value = 0);

// The CRC-32 of the next bytes of an open file, at most `most` of them, that follow others whose CRC-32 is
// `value`; how many there were is added to `bytes`. None: the file ended. Throws FileError.
std::uint32_t crc32_of_file(int file, std::uint64_t most, std::uint32_t value, std::uint64_t& bytes);

}  // namespace tunesmith
