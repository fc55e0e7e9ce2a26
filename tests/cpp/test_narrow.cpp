#include <cstddef>
#include <cstdint>
#include <string>

#include "base/narrow.hpp"
#include "check.hpp"

using namespace tunesmith;

TEST(sizes_that_fit_are_narrowed) {
  CHECK(narrow<std::uint16_t>(std::size_t{65535}) == 65535);
  CHECK(narrow<std::uint32_t>(std::size_t{4294967295}) == 4294967295);
  CHECK(narrow<std::int32_t>(std::ptrdiff_t{2147483647}) == 2147483647);
}

TEST(sizes_that_do_not_fit_are_an_error_that_names_them) {
  const auto message = [](auto narrowed) -> std::string {
    try {
      narrowed();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string edges =
      message([] { narrow<std::uint32_t>(std::size_t{4294967296}, "edges of a search graph"); });
  CHECK(edges.starts_with("4294967296 edges of a search graph are too many: at most 4294967295 can be numbered."));
  CHECK(!message([] { narrow<std::uint16_t>(std::size_t{65536}); }).empty());
  CHECK(!message([] { narrow<std::uint32_t>(std::ptrdiff_t{-1}); }).empty());
}
