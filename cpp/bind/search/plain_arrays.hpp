// A plain matrix as NumPy arrays.
#pragma once

#include "bind/convert.hpp"
#include "search/matrices/plain_builder.hpp"

namespace tunesmith::bind {

// dense_ids, dense, offsets, ids, values.
template <class Value>
AnyTuple arrays_of(PlainStorage<Value>&& storage) {
  const auto dense = to_rows(std::move(storage.dense), storage.rows, storage.dense_ids.size());
  return nb::make_tuple(to_array(std::move(storage.dense_ids)), dense, to_array(std::move(storage.offsets)),
                        to_array(std::move(storage.ids)), to_array(std::move(storage.values)));
}

}  // namespace tunesmith::bind
