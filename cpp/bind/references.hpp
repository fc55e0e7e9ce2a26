// References of many sentences, whatever a metric makes of them: how to add references and read rows.
#pragma once

#include <utility>
#include <vector>

#include "bind/convert.hpp"

namespace tunesmith::bind {

template <class References>
void add_sentences(Guarded<References>& self, nb::handle sentences) {
  constexpr std::size_t enough = 1024;  // strings held at once
  std::vector<Strings> held;
  const auto add_held = [&] {
    locked(self, [&] {
      for (const Strings& references : held) self.add(references.views());
    });
  };
  for (nb::handle references : sentences) {
    held.emplace_back(references);
    if (held.size() < enough) continue;
    add_held();
    held.clear();
  }
  add_held();
}

// Rows of statistics that `fill(out)` writes.
template <class References, class Fill>
NewRows<double> filled_rows(const Guarded<References>& self, std::size_t size, std::size_t width, Fill fill) {
  std::vector<double> out(size * width);
  locked(self, [&] { fill(out); });
  return to_rows(std::move(out), size, width);
}

}  // namespace tunesmith::bind
