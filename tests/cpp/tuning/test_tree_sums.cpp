// Sums in trees: the order of additions is that of the tree, whatever the threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "tuning/losses/tree_sums.hpp"

namespace tunesmith {
namespace {

// One column after the other, level by level.
std::vector<double> slow_twin(const std::vector<SparseSum>& nodes, std::size_t columns) {
  std::vector<std::vector<double>> level;
  for (const SparseSum& node : nodes) {
    level.emplace_back(columns);
    for (std::size_t i = 0; i < node.ids.size(); ++i) level.back()[node.ids[i]] = node.values[i];
  }
  while (level.size() > 1) {
    std::vector<std::vector<double>> next;
    for (std::size_t n = 0; n < level.size(); n += 2) {
      next.push_back(level[n]);
      if (n + 1 < level.size())
        for (std::size_t i = 0; i < columns; ++i) next.back()[i] += level[n + 1][i];
    }
    level = std::move(next);
  }
  return level.empty() ? std::vector<double>(columns) : level.front();
}

bool same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

TEST(sparse_sums_are_added_in_the_tree) {
  std::mt19937 random(1);
  for (const std::size_t columns : {1u, 40u, 3000u})
    for (const std::size_t count : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 70u, 1100u}) {
      std::vector<SparseSum> nodes(count);
      for (SparseSum& node : nodes)
        for (std::uint32_t id = 0; id < columns; ++id)
          if (random() % 8 == 0) {
            node.ids.push_back(id);
            node.values.push_back(
                std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 40)));
          }
      const std::vector<double> expected = slow_twin(nodes, columns);
      for (const int threads : {1, 3}) {
        std::vector<double> out(columns, 7.0);
        add_in_tree(nodes, out, threads);
        CHECK(same_bytes(out, expected));
      }
    }
}

TEST(a_noted_sum_names_what_is_not_zero) {
  std::mt19937 random(2);
  NotedSum sum(50);
  SparseSum taken;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> plain(50);
    for (int i = 0; i < 60; ++i) {
      const auto id = static_cast<std::uint32_t>(random() % 50);
      const double value = static_cast<double>(random() % 5) - 2;  // often back to 0
      sum.expect(1);
      sum.add(id, value);
      plain[id] += value;
    }
    taken.take(sum);
    std::vector<double> found(50);
    CHECK(std::is_sorted(taken.ids.begin(), taken.ids.end()));
    for (std::size_t i = 0; i < taken.ids.size(); ++i) {
      CHECK(taken.values[i] != 0 && found[taken.ids[i]] == 0);
      found[taken.ids[i]] = taken.values[i];
    }
    CHECK(same_bytes(found, plain));
  }
}

}  // namespace tunesmith
