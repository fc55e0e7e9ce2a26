#include "bind/convert.hpp"
#include "corpus/feature_decay.hpp"

namespace tunesmith::bind {

void bind_feature_decay(nb::module_& m) {
  using Selector = Guarded<FeatureDecay>;
  nb::class_<Selector>(m, "FeatureDecay", "Chooses sentences that resemble an in-domain text.")
      .def(nb::init<int>(), "order"_a)
      .def(
          "add_in_domain",
          [](Selector& self, nb::handle lines) {
            const Strings strings(lines);
            locked(self, [&] { self.add_in_domain(strings.views()); });
          },
          "lines"_a, "Lines of the in-domain text, before any candidate.")
      .def(
          "add",
          [](Selector& self, nb::handle lines) {
            const Strings strings(lines);
            locked(self, [&] { self.add(strings.views()); });
          },
          "lines"_a, "Candidates.")
      .def(
          "select",
          [](Selector& self, std::int64_t most) {
            FeatureDecay::Chosen chosen = locked(self, [&] { return self.select(most); });
            return array_tuple(std::move(chosen.lines), std::move(chosen.scores));
          },
          "most"_a, "The next candidates, at most `most`, and their scores.")
      .def(
          "coverage",
          [](const Selector& self) {
            FeatureDecay::Coverage found = locked(self, [&] { return self.coverage(); });
            return array_tuple(std::move(found.in_domain), std::move(found.candidates), std::move(found.chosen));
          },
          "Different n-grams by length: of the in-domain text, and how many of them candidates and choice have.")
      .def_prop_ro(
          "in_domain_tokens", [](const Selector& self) { return self.in_domain_tokens(); },
          "Words of the in-domain text.")
      .def("__len__", [](const Selector& self) { return self.candidates(); });
}

}  // namespace tunesmith::bind
