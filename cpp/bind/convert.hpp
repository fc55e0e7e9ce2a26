// Python values ↔ the core's spans and arrays. Conversion only: no algorithm lives in bind/.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/memory/scratch.hpp"

namespace tunesmith::bind {

namespace nb = nanobind;

using namespace nb::literals;

// Arrays of Python that are read where they are.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles = Array<double>;
using Integers = Array<std::int64_t>;
using Ids = Array<std::uint32_t>;

// New arrays, which own their memory.
template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using NewRows = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// Objects of Python as signatures show them.
using StringSequence = nb::typed<nb::object, nb::typed<nb::sequence, nb::str>>;
using ArrayDict = nb::typed<nb::dict, nb::str, nb::any>;
using AnyTuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

template <class T, class... Shape>
std::span<T> span_of(const nb::ndarray<T, Shape...>& array) {
  return {array.data(), array.size()};
}

template <class T, class... Shape>
std::vector<std::remove_const_t<T>> copy_of(const nb::ndarray<T, Shape...>& array) {
  return {array.data(), array.data() + array.size()};
}

inline nb::str to_str(std::string_view text) {
  return nb::str(text.data(), text.size());
}

inline nb::bytes to_bytes(std::string_view text) {
  return nb::bytes(text.data(), text.size());
}

// Views are valid as long as the object.
inline std::string_view text_of(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}
inline std::string_view text_of(nb::handle str) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(str.ptr(), &size);
  if (bytes == nullptr) nb::raise_python_error();  // lone surrogates are not text
  return {bytes, static_cast<std::size_t>(size)};
}

// The UTF-8 bytes of the strings of a sequence. Owns references to the strings, so the views stay valid while the
// GIL is released and whatever happens to the caller's list.
class Strings {
 public:
  explicit Strings(nb::handle sequence) {
    if (PyUnicode_Check(sequence.ptr()))  // would be read as a sequence of its characters
      throw nb::type_error("expected a sequence of str, got one str");
    held_ = nb::steal<nb::tuple>(PySequence_Tuple(sequence.ptr()));
    if (!held_.is_valid()) nb::raise_python_error();
    views_.reserve(held_.size());
    for (nb::handle item : held_) {
      if (!PyUnicode_Check(item.ptr())) throw nb::type_error("expected a sequence of str");
      views_.push_back(text_of(item));
    }
  }
  const std::vector<std::string_view>& views() const { return views_; }
  std::size_t size() const { return views_.size(); }

 private:
  nb::tuple held_;
  std::vector<std::string_view> views_;
};

template <class Work>
auto without_gil(Work work) {
  const nb::gil_scoped_release release;
  return work();
}

// A core object that grows, for Python threads that run while the GIL is released: one thread changes it, or many
// read it. Take the lock after releasing the GIL and let it go before.
template <class T>
struct Guarded : T {
  using T::T;
  mutable std::shared_mutex mutex;
};

// Runs `work` without the GIL under the mutex of `held`: alone, or together with other readers if `held` is const.
template <class Held, class Work>
auto locked(Held& held, Work work) {
  using Lock = std::conditional_t<std::is_const_v<Held>, std::shared_lock<std::shared_mutex>,
                                  std::unique_lock<decltype(held.mutex)>>;
  const nb::gil_scoped_release release;
  const Lock lock(held.mutex);
  return work();
}

template <class T>
NewRows<T> to_rows(std::vector<T> data, std::size_t rows, std::size_t columns) {
  auto* owned = new std::vector<T>(std::move(data));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NewRows<T>(owned->data(), {rows, columns}, owner);
}

template <class T>
NewArray<T> to_array(std::vector<T> data) {
  auto* owned = new std::vector<T>(std::move(data));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NewArray<T>(owned->data(), {owned->size()}, owner);
}

template <class T>
NewArray<T> to_array(Scratch<T> data, std::size_t size) {
  T* owned = data.release();
  nb::capsule owner(owned, [](void* p) noexcept { std::free(p); });
  return NewArray<T>(owned, {size}, owner);
}

// A property: a read-only array over a vector inside the object, which the array keeps alive.
template <class Class, class T>
auto array_property(std::vector<T> Class::* member) {
  return [member](nb::handle self) {
    const std::vector<T>& data = nb::cast<const Class&>(self).*member;
    return NewArray<const T>(data.data(), {data.size()}, self);
  };
}

template <class... T>
std::tuple<NewArray<T>...> array_tuple(std::vector<T>... data) {
  return {to_array(std::move(data))...};
}

}  // namespace tunesmith::bind
