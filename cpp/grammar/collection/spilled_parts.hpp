// Records in parts, each taken once as a whole; beyond a limit of memory on disk.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/tables/array_file.hpp"

namespace tunesmith {

template <class T>
class SpilledParts {
 public:
  // Keeps at most about `limit` bytes in memory, the rest in files that begin with `path`.
  SpilledParts(std::size_t parts, std::string path, std::size_t limit)
      : parts_(parts), path_(std::move(path)), limit_(limit) {}

  std::size_t size() const { return parts_.size(); }
  std::uint64_t spilled_bytes() const { return spilled_; }

  // What comes in one call stays together. For several threads.
  void append(std::size_t part, std::vector<T>&& records) {
    if (records.empty()) return;
    const std::scoped_lock lock(mutex_);
    held_ += records.capacity() * sizeof(T);
    parts_[part].blocks.push_back(std::move(records));
    if (held_ > limit_) spill();
  }

  // The records of a part, in no particular order of calls; the part is empty afterwards. For several threads.
  std::vector<T> take(std::size_t number) {
    Part part;
    {
      const std::scoped_lock lock(mutex_);
      std::swap(part, parts_[number]);
      for (const auto& block : part.blocks) held_ -= block.capacity() * sizeof(T);
    }
    std::uint64_t size = part.on_disk;
    for (const auto& block : part.blocks) size += block.size();
    std::vector<T> records(size);
    auto to = records.begin() + static_cast<std::ptrdiff_t>(part.on_disk);
    if (part.on_disk > 0) {
      ArrayPatch(path(number)).read(0, std::span<T>(records.begin(), to));
      ::unlink(path(number).c_str());
    }
    for (auto& block : part.blocks) {
      to = std::copy(block.begin(), block.end(), to);
      block = {};
    }
    return records;
  }

 private:
  struct Part {
    std::vector<std::vector<T>> blocks;
    std::uint64_t on_disk = 0;  // records
  };

  void spill() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      if (part.blocks.empty()) continue;
      ArrayWriter file(path(i));
      for (const auto& block : part.blocks) {
        file.write(block);
        part.on_disk += block.size();
        spilled_ += block.size() * sizeof(T);
      }
      file.close();
      part.blocks = {};
    }
    held_ = 0;
  }

  std::string path(std::size_t part) const { return path_ + std::to_string(part); }

  std::vector<Part> parts_;
  std::string path_;
  std::size_t limit_, held_ = 0;
  std::uint64_t spilled_ = 0;
  std::mutex mutex_;
};

}  // namespace tunesmith
