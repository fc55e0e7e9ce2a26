#include <algorithm>
#include <limits>

#include "base/files/crc32.hpp"
#include "base/give_back.hpp"
#include "bind/convert.hpp"

namespace tunesmith::bind {

void bind_base(nb::module_& m) {
  m.def(
      "crc32",
      [](nb::bytes data, std::uint32_t value, std::size_t begin, std::size_t end) {
        const char* bytes = data.c_str();
        end = std::min(end, data.size());
        begin = std::min(begin, end);
        nb::gil_scoped_release release;
        return crc32(bytes + begin, end - begin, value);
      },
      "data"_a, "value"_a = 0, "begin"_a = 0, "end"_a = std::numeric_limits<std::size_t>::max(),
      "The CRC-32 of bytes `begin` to `end`, which follow others whose CRC-32 is `value`, as zlib has it.");
  m.def(
      "crc32_by_tables",
      [](nb::bytes data, std::uint32_t value) { return crc32_by_tables(data.c_str(), data.size(), value); },
      "data"_a, "value"_a = 0, "The same on any processor; for tests.");
  m.def(
      "crc32_of_file",
      [](int file, std::uint64_t most, std::uint32_t value) {
        std::uint64_t bytes = 0;
        without_gil([&] { value = crc32_of_file(file, most, value, bytes); });
        return std::make_tuple(value, bytes);
      },
      "file"_a, "most"_a, "value"_a = 0,
      "The CRC-32 of the next bytes of an open file and how many there were; 0: the file ended.");
  m.def("give_back_memory", &give_back_memory, nb::call_guard<nb::gil_scoped_release>(),
        "Give the pages of freed memory back to the system, where the allocator keeps them.");
}

}  // namespace tunesmith::bind
