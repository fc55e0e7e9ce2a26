// A plain matrix as NumPy arrays.
#pragma once

#include "bind/convert.hpp"
#include "search/plain_builder.hpp"

namespace tunesmith::bind {

// dense_ids, dense, offsets, ids, values.
template <class Value>
nb::tuple arrays_of(PlainStorage<Value>&& storage) {
  auto* owned = new std::vector<Value>(std::move(storage.dense));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  nb::ndarray<nb::numpy, Value, nb::ndim<2>> dense(owned->data(), {storage.rows, storage.dense_ids.size()}, owner);
  return nb::make_tuple(to_array(std::move(storage.dense_ids)), dense, to_array(std::move(storage.offsets)),
                        to_array(std::move(storage.ids)), to_array(std::move(storage.values)));
}

}  // namespace tunesmith::bind
