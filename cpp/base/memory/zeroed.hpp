// Large arrays of which little is used.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace tunesmith {

// Elements whose bytes are all zero. Pages of memory are taken when they are first written to, so that an array is
// made at once, and costs what of it is used.
template <class T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Zeroed(std::size_t size) : size_(size), data_(static_cast<T*>(std::calloc(size + 1, sizeof(T)))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }

  T& operator[](std::size_t at) { return data_.get()[at]; }
  T* begin() { return data_.get(); }
  T* end() { return data_.get() + size_; }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::size_t size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace tunesmith
