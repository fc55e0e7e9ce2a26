#include "grammar/spill.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "grammar/array_file.hpp"

namespace tunesmith {

void append_record(const RuleView& rule, std::uint32_t pair, std::uint32_t shared_by,
                   std::vector<std::uint32_t>& out) {
  const std::size_t begin = out.size(), symbols = rule.source.size() + rule.target.size();
  out.resize(begin + Record::header + symbols + (rule.links.size() + 1) / 2, 0);
  std::uint32_t* to = out.data() + begin;
  to[0] = static_cast<std::uint32_t>(rule.source.size() | rule.target.size() << 8 | rule.links.size() << 16);
  to[1] = pair;
  to[2] = shared_by;
  to += Record::header;
  std::memcpy(to, rule.source.data(), rule.source.size_bytes());
  std::memcpy(to + rule.source.size(), rule.target.data(), rule.target.size_bytes());
  if (!rule.links.empty()) std::memcpy(to + symbols, rule.links.data(), rule.links.size_bytes());
}

RecordParts::RecordParts(std::vector<SourceKey> splits, std::string folder, std::size_t limit)
    : splits_(std::move(splits)), parts_(splits_.size() + 1), folder_(std::move(folder)), limit_(limit) {}

std::size_t RecordParts::part_of(const SourceKey& key) const {
  return static_cast<std::size_t>(std::upper_bound(splits_.begin(), splits_.end(), key) - splits_.begin());
}

void RecordParts::append(std::size_t part, std::vector<std::uint32_t>&& records) {
  if (records.empty()) return;
  const std::scoped_lock lock(mutex_);
  held_ += records.capacity() * sizeof(std::uint32_t);
  parts_[part].blocks.push_back(std::move(records));
  if (held_ > limit_) spill();
}

void RecordParts::spill() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.blocks.empty()) continue;
    ArrayWriter file(path(i));
    for (const auto& block : part.blocks) {
      file.write(block);
      part.on_disk += block.size();
      spilled_ += block.size() * sizeof(std::uint32_t);
    }
    file.close();
    part.blocks.clear();
    part.blocks.shrink_to_fit();
  }
  held_ = 0;
}

std::vector<std::uint32_t> RecordParts::take(std::size_t number) {
  Part part;
  {
    const std::scoped_lock lock(mutex_);
    std::swap(part, parts_[number]);
    for (const auto& block : part.blocks) held_ -= block.capacity() * sizeof(std::uint32_t);
  }
  std::uint64_t size = part.on_disk;
  for (const auto& block : part.blocks) size += block.size();
  std::vector<std::uint32_t> records;
  records.reserve(size);
  if (part.on_disk > 0) {
    records = ArrayPatch(path(number)).read<std::uint32_t>(0, part.on_disk);
    ::unlink(path(number).c_str());
  }
  for (auto& block : part.blocks) {
    records.insert(records.end(), block.begin(), block.end());
    block = {};
  }
  return records;
}

}  // namespace tunesmith
