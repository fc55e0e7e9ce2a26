// A test harness of one screen: TEST registers, CHECK reports the expression with its place and continues.
//
// It is our own because the tests must build on a machine that has Python, a compiler and make, where pip brings
// the rest. The C++ libraries doctest and Catch2 are not on PyPI, and a copy of thousands of lines would do no
// more for us.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace check {

struct Test {
  const char* name;
  std::function<void()> body;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, std::function<void()> body) { tests().push_back({name, std::move(body)}); }
};

inline void that(bool holds, const char* expression, const char* file, int line) {
  if (holds) return;
  ++failures();
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, expression);
}

inline bool near(double a, double b, double tolerance = 1e-12) {
  return std::fabs(a - b) <= tolerance;
}

}  // namespace check

#define TEST(name)                                       \
  static void name();                                    \
  static check::Register name##_registered(#name, name); \
  static void name()
#define CHECK(expression) check::that(static_cast<bool>(expression), #expression, __FILE__, __LINE__)
#define CHECK_THROWS(expression, type)                                     \
  do {                                                                     \
    bool thrown = false;                                                   \
    try {                                                                  \
      (void)(expression);                                                  \
    } catch (const type&) {                                                \
      thrown = true;                                                       \
    }                                                                      \
    check::that(thrown, #expression " throws " #type, __FILE__, __LINE__); \
  } while (false)
