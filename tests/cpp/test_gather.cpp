#include <vector>

#include "base/memory/gather.hpp"
#include "base/vectors.hpp"
#include "check.hpp"

using namespace tunesmith;

namespace {

// from[i] = 3 i, so that to[i] must be 3 at[i]. Nothing is written after the last.
template <class Number>
void check_gather(std::size_t size, Vectors vectors) {
  std::vector<Number> from(300), to(size + 1, Number{7});
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Number>(3 * i);
  std::vector<std::uint32_t> at(size);
  for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<std::uint32_t>(299 - 7 * i % 300);
  gather(from.data(), at.data(), size, to.data(), vectors);
  bool right = to[size] == Number{7};
  for (std::size_t i = 0; i < size; ++i) right &= to[i] == static_cast<Number>(3 * at[i]);
  CHECK(right);
  // In parts, and over the places themselves.
  std::vector<std::uint32_t> tripled(at);
  std::size_t next = 0;
  gather_in_parts(from.data(), tripled.data(), size, vectors,
                  [&](std::size_t begin, std::size_t end, const Number* found) {
                    CHECK(begin == next);
                    next = end;
                    for (std::size_t i = begin; i < end; ++i)
                      tripled[i] = static_cast<std::uint32_t>(found[i - begin]);
                  });
  CHECK(next == size);
  for (std::size_t i = 0; i < size; ++i) right &= tripled[i] == 3 * at[i];
  CHECK(right);
}

}  // namespace

TEST(gathering_takes_each_number_from_its_place) {
  for (const Vectors vectors : {Vectors::plain, Vectors::avx2, Vectors::avx512})
    if (has_vectors(vectors))
      for (const std::size_t size : {0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 257, 600}) {
        check_gather<double>(size, vectors);
        check_gather<std::uint32_t>(size, vectors);
      }
}
