// Tables of numbers by keys, against std::unordered_map.
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/remembered_sums.hpp"
#include "base/sparse_numbers.hpp"
#include "check.hpp"

using namespace tunesmith;

TEST(numbers_are_found_one_by_one_and_many_at_a_time) {
  std::mt19937_64 random(1);
  SparseNumbers table;
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  // Small keys, whose hashes differ in few bits, and any keys; some are set again.
  const auto any = [&](std::uint32_t step) {
    return step % 3 == 0 ? random() : random() % 5000 << 32 | random() % 7;
  };
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const std::uint64_t key = any(step);
    table.set(key, step);
    expected[key] = step;
    CHECK(table.find(key) == step);
  }
  CHECK(table.size() == expected.size());
  const auto wanted = [&](std::uint64_t key) {
    const auto found = expected.find(key);
    return found == expected.end() ? SparseNumbers::none : found->second;
  };
  std::array<std::uint32_t, 25> numbers;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    std::vector<std::uint64_t> keys;
    for (std::uint32_t i = 0; i < step % 26; ++i) keys.push_back(any(step + i));
    table.find_all(keys, numbers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      CHECK(numbers[i] == wanted(keys[i]));
      CHECK(table.find(keys[i]) == wanted(keys[i]));
    }
  }
  std::size_t visited = 0;
  table.for_each([&](std::uint64_t key, std::uint32_t number) {
    CHECK(wanted(key) == number);
    ++visited;
  });
  CHECK(visited == expected.size());
}

TEST(sums_are_computed_once_until_they_are_forgotten) {
  RememberedSums sums;
  int computed = 0;
  const auto compute = [&](std::uint64_t key) {
    return sums.of(key, [&] {
      ++computed;
      // One sum may need others.
      return static_cast<double>(key) + (key % 2 == 0 ? 0.0 : sums.of(key + 1, [&] { return 0.5; }));
    });
  };
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t key = 0; key < 3000; key += 4) CHECK(compute(key) == static_cast<double>(key));
  CHECK(computed == 750);
  CHECK(compute(1) == 1.5);
  CHECK(sums.of(2, [] { return 7.0; }) == 0.5);
  CHECK(sums.size() == 752);
  sums.clear();
  CHECK(sums.size() == 0);
  CHECK(sums.of(2, [] { return 7.0; }) == 7.0);
  for (std::uint64_t key = 0; key < 9000; key += 4) compute(key);
  CHECK(sums.size() == 2251);
}
