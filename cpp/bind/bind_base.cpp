#include "base/crc32.hpp"
#include "bind/convert.hpp"

namespace tunesmith::bind {

using namespace nb::literals;

void bind_base(nb::module_& m) {
  using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  m.def(
      "crc32",
      [](const Bytes& data, std::uint32_t value) {
        nb::gil_scoped_release release;
        return crc32(data.data(), data.size(), value);
      },
      "data"_a, "value"_a = 0, "The CRC-32 of bytes that follow others whose CRC-32 is `value`, as zlib has it.");
  m.def(
      "crc32_by_tables",
      [](const Bytes& data, std::uint32_t value) { return crc32_by_tables(data.data(), data.size(), value); },
      "data"_a, "value"_a = 0, "The same on any processor; for tests.");
  m.def(
      "crc32_of_file",
      [](int file, std::uint64_t most, std::uint32_t value) {
        std::uint64_t bytes = 0;
        {
          nb::gil_scoped_release release;
          value = crc32_of_file(file, most, value, bytes);
        }
        return nb::make_tuple(value, bytes);
      },
      "file"_a, "most"_a, "value"_a = 0,
      nb::sig("def crc32_of_file(file: int, most: int, value: int = 0) -> tuple[int, int]"),
      "The CRC-32 of the next bytes of an open file and how many there were; 0: the file ended.");
}

}  // namespace tunesmith::bind
