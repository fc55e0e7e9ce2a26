#include "search/matrices/merge.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "base/probe.hpp"

namespace tunesmith {
namespace {

// Candidates of one sentence, each once. Holds scratch memory: one for each thread.
class Different {
 public:
  explicit Different(std::span<const MergeSource> sources) : sources_(sources) {}

  // Appends the candidates of the sentence to `source` and `index`.
  void sentence(std::size_t number, std::vector<std::uint32_t>& source, std::vector<std::int64_t>& index) {
    keys_.clear();
    ends_.assign(1, 0);
    std::size_t most = 0;
    for (const MergeSource& given : sources_)
      if (number < given.lists.sentences()) most += given.lists.end(number) - given.lists.begin(number);
    slots_.assign(slots_for(most), none);
    for (std::uint32_t s = 0; s < sources_.size(); ++s) {
      const MergeSource& given = sources_[s];
      if (number >= given.lists.sentences()) continue;
      for (std::size_t i = given.lists.begin(number); i < given.lists.end(number); ++i) {
        append_key(given, i);
        if (!is_new()) continue;
        source.push_back(s);
        index.push_back(static_cast<std::int64_t>(i));
      }
    }
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  void append_key(const MergeSource& given, std::size_t i) {
    if (!given.word_offsets.empty()) {
      const auto begin = static_cast<std::size_t>(given.word_offsets[i]);
      const auto size = static_cast<std::size_t>(given.word_offsets[i + 1]) - begin;
      append(&size, sizeof size);
      append(given.word_ids.data() + begin, size * sizeof(std::uint32_t));
    }
    append(given.statistics.data() + i * given.statistics_size, given.statistics_size);
    given.lists.matrix.append_key(i, given.column_map, keys_);
  }

  void append(const void* data, std::size_t size) {
    if (size > 0) keys_.append(static_cast<const char*>(data), size);
  }

  std::string_view key(std::size_t i) const {
    return std::string_view(keys_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }

  // Keeps the key that was appended last, or takes it back if it is known.
  bool is_new() {
    const std::size_t last = ends_.size() - 1;
    ends_.push_back(keys_.size());
    const std::size_t at = probe(slots_, hash_bytes(key(last)),
                                 [&](std::uint32_t known) { return known == none || key(known) == key(last); });
    if (slots_[at] == none) {
      slots_[at] = narrow<std::uint32_t>(last, "candidates of a sentence");
      return true;
    }
    ends_.pop_back();
    keys_.resize(ends_.back());
    return false;
  }

  std::span<const MergeSource> sources_;
  std::string keys_;               // of the candidates found so far, one after the other
  std::vector<std::size_t> ends_;  // where each begins, and the end
  std::vector<std::uint32_t> slots_;
};

}  // namespace

MergePlan merge_plan(std::span<const MergeSource> sources, int threads) {
  std::size_t sentences = 0;
  for (const MergeSource& source : sources) sentences = std::max(sentences, source.lists.sentences());
  // Parts in the order of sentences, put together afterwards.
  struct Part {
    std::size_t begin = 0;
    MergePlan plan;
  };
  std::vector<Part> parts;
  std::mutex mutex;
  parallel_ranges(sentences, threads, [&](std::size_t begin, std::size_t end) {
    Different different(sources);
    Part part{begin, {}};
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      different.sentence(sentence, part.plan.source, part.plan.index);
      part.plan.offsets.push_back(static_cast<std::int64_t>(part.plan.index.size()));
    }
    const std::lock_guard lock(mutex);
    parts.push_back(std::move(part));
  });
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  if (parts.size() == 1) return std::move(parts[0].plan);
  MergePlan out;
  for (const Part& part : parts) {
    const auto before = static_cast<std::int64_t>(out.index.size());
    for (std::size_t i = 1; i < part.plan.offsets.size(); ++i)
      out.offsets.push_back(before + part.plan.offsets[i]);
    out.source.insert(out.source.end(), part.plan.source.begin(), part.plan.source.end());
    out.index.insert(out.index.end(), part.plan.index.begin(), part.plan.index.end());
  }
  return out;
}

void gather_rows(const MergePlan& plan, std::span<const std::span<const char>> rows, std::size_t size,
                 std::span<char> out) {
  if (size == 0) return;
  char* to = out.data();
  for (std::size_t i = 0; i < plan.index.size(); ++i, to += size)
    std::memcpy(to, rows[plan.source[i]].data() + static_cast<std::size_t>(plan.index[i]) * size, size);
}

std::vector<std::int64_t> gathered_offsets(const MergePlan& plan, std::span<const Ragged> lists) {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(plan.index.size() + 1);
  for (std::size_t i = 0; i < plan.index.size(); ++i) {
    const auto& from = lists[plan.source[i]].offsets;
    const auto row = static_cast<std::size_t>(plan.index[i]);
    offsets.push_back(offsets.back() + from[row + 1] - from[row]);
  }
  return offsets;
}

void gather_ragged(const MergePlan& plan, std::span<const Ragged> lists, std::size_t size, std::span<char> out) {
  char* to = out.data();
  for (std::size_t i = 0; i < plan.index.size(); ++i) {
    const Ragged& from = lists[plan.source[i]];
    const auto row = static_cast<std::size_t>(plan.index[i]);
    const auto begin = static_cast<std::size_t>(from.offsets[row]) * size;
    const auto bytes = static_cast<std::size_t>(from.offsets[row + 1]) * size - begin;
    if (bytes > 0) std::memcpy(to, from.items.data() + begin, bytes);
    to += bytes;
  }
}

}  // namespace tunesmith
