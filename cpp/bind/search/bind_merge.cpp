#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bind/search/candidates.hpp"
#include "search/matrices/merge.hpp"

namespace tunesmith::bind {
namespace {

using Bytes = Array<std::uint8_t>;

std::span<const char> bytes_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

NewArray<std::uint8_t> new_bytes(std::size_t size, char*& data) {
  auto* owned = new std::unique_ptr<char[]>(new char[std::max<std::size_t>(size, 1)]);
  data = owned->get();
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::unique_ptr<char[]>*>(p); });
  return {data, {size}, owner};
}

void check_offsets(const Integers& offsets, std::size_t rows, std::size_t items) {
  const auto ends = span_of(offsets);
  if (ends.size() != rows + 1 || ends.front() != 0 || !std::is_sorted(ends.begin(), ends.end()) ||
      ends.back() != static_cast<std::int64_t>(items))
    throw Error("offsets must rise from 0 to the number of items, one for each candidate and the end");
}

// One of the sets to be merged, with the arrays it reads.
struct HeldSource {
  HeldSource(const HeldLists& lists, std::optional<Ids> columns, std::optional<Ids> ids,
             std::optional<Integers> offsets, std::optional<Bytes> numbers)
      : column_map(columns),
        word_ids(ids),
        word_offsets(offsets),
        statistics(numbers),
        source{lists.lists, {}, {}, {}, {}, 0} {
    const std::size_t rows = lists.lists.matrix.rows();
    if (columns) {
      if (columns->size() != lists.lists.matrix.columns()) throw Error("every column must have a new number");
      source.column_map = span_of(*columns);
    }
    if (ids && offsets) {
      check_offsets(*offsets, rows, ids->size());
      source.word_ids = span_of(*ids);
      source.word_offsets = span_of(*offsets);
    }
    if (numbers && rows > 0) {
      if (numbers->size() % rows != 0) throw Error("every candidate must have as many statistics");
      source.statistics = bytes_of(*numbers);
      source.statistics_size = numbers->size() / rows;
    }
  }

  std::optional<Ids> column_map, word_ids;
  std::optional<Integers> word_offsets;
  std::optional<Bytes> statistics;
  MergeSource source;
};

class HeldPlan {
 public:
  HeldPlan(const std::vector<const HeldSource*>& sources, int threads) {
    std::vector<MergeSource> all;
    for (const HeldSource* source : sources) {
      if (source == nullptr) throw Error("a source is missing");
      all.push_back(source->source);
      rows_.push_back(source->source.lists.matrix.rows());
    }
    nb::gil_scoped_release release;
    plan_ = merge_plan(all, threads);
  }

  const MergePlan& plan() const { return plan_; }

  auto rows(const std::vector<Bytes>& arrays) const {
    check_count(arrays.size());
    std::optional<std::size_t> size;
    std::vector<std::span<const char>> spans;
    for (std::size_t s = 0; s < arrays.size(); ++s) {
      if (rows_[s] > 0) {
        const std::size_t here = arrays[s].size() / rows_[s];
        if (here * rows_[s] != arrays[s].size() || (size && *size != here))
          throw Error("rows must have the same size everywhere");
        size = here;
      }
      spans.push_back(bytes_of(arrays[s]));
    }
    const std::size_t width = size.value_or(0);
    char* data = nullptr;
    auto out = new_bytes(plan_.index.size() * width, data);
    nb::gil_scoped_release release;
    gather_rows(plan_, spans, width, {data, plan_.index.size() * width});
    return out;
  }

  auto ragged(const std::vector<Integers>& offsets, const std::vector<Bytes>& items, std::size_t size) const {
    check_count(items.size());
    check_count(offsets.size());
    if (size == 0) throw Error("items must have a size");
    std::vector<Ragged> lists;
    for (std::size_t s = 0; s < items.size(); ++s) {
      check_offsets(offsets[s], rows_[s], items[s].size() / size);
      lists.push_back({span_of(offsets[s]), bytes_of(items[s])});
    }
    std::vector<std::int64_t> ends = gathered_offsets(plan_, lists);
    const std::size_t bytes = static_cast<std::size_t>(ends.back()) * size;
    char* data = nullptr;
    auto out = new_bytes(bytes, data);
    without_gil([&] { gather_ragged(plan_, lists, size, {data, bytes}); });
    return std::make_tuple(to_array(std::move(ends)), out);
  }

 private:
  void check_count(std::size_t given) const {
    if (given != rows_.size()) throw Error("there must be one array for each set");
  }

  MergePlan plan_;
  std::vector<std::size_t> rows_;
};

}  // namespace

void bind_merge(nb::module_& m) {
  nb::class_<HeldSource>(m, "MergeSource", "A set to be merged: what tells its candidates apart.")
      .def(nb::init<const HeldLists&, std::optional<Ids>, std::optional<Ids>, std::optional<Integers>,
                    std::optional<Bytes>>(),
           "lists"_a, "column_map"_a.none(), "word_ids"_a.none(), "word_offsets"_a.none(), "statistics"_a.none(),
           nb::keep_alive<1, 2>());
  nb::class_<HeldPlan>(m, "MergePlan", "Which candidates of several sets make up the merged one, in its order.")
      .def(nb::init<const std::vector<const HeldSource*>&, int>(), "sources"_a, "threads"_a = 1)
      .def(
          "offsets", [](const HeldPlan& self) { return to_array(std::vector(self.plan().offsets)); },
          "Where the candidates of each sentence begin.")
      .def(
          "source", [](const HeldPlan& self) { return to_array(std::vector(self.plan().source)); },
          "The set each candidate comes from.")
      .def(
          "index", [](const HeldPlan& self) { return to_array(std::vector(self.plan().index)); },
          "Its number there.")
      .def("rows", &HeldPlan::rows, "arrays"_a, "Rows of bytes of the merged set, from those of each set.")
      .def("ragged", &HeldPlan::ragged, "offsets"_a, "items"_a, "size"_a,
           nb::sig("def ragged(self, offsets: collections.abc.Sequence[typing.Any], items: "
                   "collections.abc.Sequence[typing.Any], size: int) -> tuple[typing.Any, typing.Any]"),
           "Offsets and bytes of sequences of items of this size.");
}

}  // namespace tunesmith::bind
