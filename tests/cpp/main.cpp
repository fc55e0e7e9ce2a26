#include <cstdio>
#include <exception>

#include "check.hpp"

int main() {
  int failed = 0;
  for (const check::Test& test : check::tests()) {
    const int before = check::failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      ++check::failures();
      std::fprintf(stderr, "%s: unexpected exception: %s\n", test.name, error.what());
    }
    if (check::failures() != before) {
      ++failed;
      std::fprintf(stderr, "FAILED %s\n", test.name);
    }
  }
  std::printf("C++: %zu passed, %d failed\n", check::tests().size() - static_cast<std::size_t>(failed), failed);
  return failed == 0 ? 0 : 1;
}
