// Python values ↔ the core's spans and arrays. Conversion only: no algorithm lives in bind/.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/scratch.hpp"

namespace tunesmith::bind {

namespace nb = nanobind;

using DoubleRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The UTF-8 bytes of the strings of a sequence. Owns references to the strings, so the views stay valid while the
// GIL is released and whatever happens to the caller's list.
class Strings {
 public:
  explicit Strings(nb::handle sequence) {
    if (PyUnicode_Check(sequence.ptr()))  // would be read as a sequence of its characters
      throw nb::type_error("a sequence of str was expected, not one str");
    held_ = nb::steal<nb::tuple>(PySequence_Tuple(sequence.ptr()));
    if (!held_.is_valid()) nb::raise_python_error();
    views_.reserve(held_.size());
    for (nb::handle item : held_) {
      if (!PyUnicode_Check(item.ptr())) throw nb::type_error("a sequence of str was expected");
      Py_ssize_t size = 0;
      const char* bytes = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
      if (bytes == nullptr) nb::raise_python_error();  // lone surrogates
      views_.emplace_back(bytes, static_cast<std::size_t>(size));
    }
  }
  const std::vector<std::string_view>& views() const { return views_; }
  std::size_t size() const { return views_.size(); }

 private:
  nb::tuple held_;
  std::vector<std::string_view> views_;
};

// A core object that grows, for Python threads that run while the GIL is released: one thread changes it, or many
// read it. Take the lock after releasing the GIL and let it go before.
template <class T>
struct Guarded : T {
  using T::T;
  mutable std::shared_mutex mutex;
};

// A new array that owns `data`.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(std::vector<T>&& data) {
  auto* owned = new std::vector<T>(std::move(data));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(Scratch<T> data, std::size_t size) {
  T* owned = data.release();
  nb::capsule owner(owned, [](void* p) noexcept { std::free(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned, {size}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_array(std::vector<T>&& data, std::size_t columns) {
  auto* owned = new std::vector<T>(std::move(data));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned->data(), {owned->size() / columns, columns}, owner);
}

void bind_base(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_lm(nb::module_& m);
void bind_lm_model(nb::module_& m);
void bind_grammar(nb::module_& m);
void bind_features(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_candidates(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_merge(nb::module_& m);
void bind_search_graph(nb::module_& m);
void bind_tuning(nb::module_& m);
void bind_sentence_losses(nb::module_& m);
void bind_grouping(nb::module_& m);
void bind_decoding(nb::module_& m);
void bind_leave_one_out(nb::module_& m);

}  // namespace tunesmith::bind
