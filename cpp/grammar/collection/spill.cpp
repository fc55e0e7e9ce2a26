#include "grammar/collection/spill.hpp"

#include <algorithm>
#include <cstring>

namespace tunesmith {

void append_record(const RuleView& rule, std::uint32_t pair, std::uint32_t shared_by,
                   std::vector<std::uint32_t>& out, std::uint8_t orientation) {
  const std::size_t begin = out.size(), symbols = rule.source.size() + rule.target.size();
  out.resize(begin + Record::header + symbols + (rule.links.size() + 1) / 2, 0);
  std::uint32_t* to = out.data() + begin;
  to[0] = static_cast<std::uint32_t>(rule.source.size() | rule.target.size() << 8 | rule.links.size() << 16);
  to[1] = pair;
  to[2] = shared_by | static_cast<std::uint32_t>(orientation) << 28;
  to += Record::header;
  std::memcpy(to, rule.source.data(), rule.source.size_bytes());
  std::memcpy(to + rule.source.size(), rule.target.data(), rule.target.size_bytes());
  if (!rule.links.empty()) std::memcpy(to + symbols, rule.links.data(), rule.links.size_bytes());
}

std::size_t RecordParts::part_of(const SourceKey& key) const {
  return static_cast<std::size_t>(std::upper_bound(splits_.begin(), splits_.end(), key) - splits_.begin());
}

}  // namespace tunesmith
