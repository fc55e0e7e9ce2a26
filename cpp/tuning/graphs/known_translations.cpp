#include "tuning/graphs/known_translations.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {

std::uint32_t KnownTranslations::number(std::size_t sentence, std::span<const std::int32_t> words) {
  Sentence& of = sentences_[sentence];
  std::string key(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  const auto [at, fresh] = of.numbers.try_emplace(std::move(key), narrow<std::uint32_t>(of.keys.size()));
  if (fresh) of.keys.push_back(&at->first);
  return at->second;
}

void KnownTranslations::check_measured() const {
  for (const Sentence& of : sentences_)
    if (of.row_of.size() != of.keys.size()) throw Error("some translations have not been measured");
}

void KnownTranslations::append_words(std::size_t sentence, std::uint32_t number,
                                     std::vector<std::uint32_t>& words) const {
  const std::string& key = *sentences_[sentence].keys[number];
  const std::size_t before = words.size();
  words.resize(before + key.size() / sizeof(std::uint32_t));
  if (!key.empty()) std::memcpy(words.data() + before, key.data(), key.size());
}

KnownTranslations::New KnownTranslations::without_statistics() const {
  New found;
  for (std::size_t s = 0; s < sentences_.size(); ++s)
    for (std::size_t i = sentences_[s].row_of.size(); i < sentences_[s].keys.size(); ++i) {
      found.sentences.push_back(static_cast<std::int64_t>(s));
      append_words(s, static_cast<std::uint32_t>(i), found.words);
      found.offsets.push_back(static_cast<std::int64_t>(found.words.size()));
    }
  return found;
}

void KnownTranslations::add_statistics(std::span<const double> rows, std::size_t count, std::size_t width) {
  std::size_t waiting = 0;
  for (const Sentence& of : sentences_) waiting += of.keys.size() - of.row_of.size();
  if (count != waiting)
    throw Error("got statistics of " + std::to_string(count) + " translations for " + std::to_string(waiting));
  if (width == 0 || (width_ != 0 && width != width_))
    throw Error("got rows of " + std::to_string(width) + " statistics, others have " + std::to_string(width_));
  width_ = width;
  const double* row = rows.data();
  for (Sentence& of : sentences_)
    for (std::size_t i = of.row_of.size(); i < of.keys.size(); ++i, row += width) {
      std::string key(reinterpret_cast<const char*>(row), width * sizeof(double));
      const auto next = narrow<std::uint32_t>(of.distinct.size());
      const auto [at, fresh] = of.distinct.try_emplace(std::move(key), next);
      if (fresh) of.rows.insert(of.rows.end(), row, row + width);
      of.row_of.push_back(at->second);
    }
}

}  // namespace tunesmith
