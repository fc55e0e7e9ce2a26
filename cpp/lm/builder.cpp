#include "lm/builder.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith::lm {
namespace {

constexpr float missing_unknown = -100.0f;  // as KenLM
constexpr float rounding = 1e-4f;           // of sums of numbers that a file gives with a few digits

Weights make_weights(float probability, float backoff) {
  // Signs as tables.hpp wants them: no longer n-gram is known yet.
  return {std::bit_cast<float>(std::bit_cast<std::uint32_t>(probability) | 0x80000000u),
          backoff == 0 ? no_extension : backoff};
}

Key key_of_words(int n, const std::uint32_t* words) {
  Key key = first_key(words[n - 1]);
  for (int i = n - 2; i >= 0; --i) key = extend_key(key, words[i]);
  return key;
}

// Calls put(place, slot) for sorted slots where TableView looks for them; returns the number of slots of the
// table.
template <class Put>
std::uint64_t place(const std::vector<MiddleSlot>& sorted, std::uint64_t homes, Put put) {
  std::uint64_t next = 0;
  for (const MiddleSlot& slot : sorted) {
    const std::uint64_t at = std::max(next, home_of(slot.key, homes));
    put(at, slot);
    next = at + 1;
  }
  return std::max(next, homes) + 1;  // the last one stays empty
}

}  // namespace

void GrowingTable::reserve(std::uint64_t count) {
  if (2 * count > slots_.size()) grow(std::bit_ceil(2 * count));
}

MiddleSlot* GrowingTable::search(Key key) {
  std::uint64_t at = home_of(key, slots_.size());
  while (slots_[at].key != 0 && slots_[at].key != key) at = at + 1 == slots_.size() ? 0 : at + 1;
  return &slots_[at];
}

bool GrowingTable::insert(Key key, Weights weights) {
  MiddleSlot* slot = search(key);
  if (slot->key != 0) return false;
  *slot = {key, weights};
  if (3 * ++size_ > 2 * slots_.size()) grow(2 * slots_.size());
  return true;
}

void GrowingTable::grow(std::uint64_t slots) {
  std::vector<MiddleSlot> old(static_cast<std::size_t>(slots));
  old.swap(slots_);
  for (const MiddleSlot& slot : old)
    if (slot.key != 0) *search(slot.key) = slot;
}

std::vector<MiddleSlot> GrowingTable::take_sorted() {
  std::vector<MiddleSlot> slots = std::move(slots_);
  *this = GrowingTable();
  std::erase_if(slots, [](const MiddleSlot& slot) { return slot.key == 0; });
  // Nearly sorted already: homes rise with keys.
  std::sort(slots.begin(), slots.end(), [](const MiddleSlot& a, const MiddleSlot& b) { return a.key < b.key; });
  return slots;
}

Builder::Builder(int order) : order_(order) {
  if (order < 1 || order > max_order)
    throw Error("a model of order " + std::to_string(order) + "; the highest order that can be used is " +
                std::to_string(max_order));
  for (const std::string_view word : special_words) words_.add(word);
  unigrams_.assign(3, make_weights(missing_unknown, 0));
  tables_.resize(static_cast<std::size_t>(order) - 1);
  filled_in_.resize(static_cast<std::size_t>(order) - 1);
}

void Builder::expect(int n, std::uint64_t count) {
  // A wrong number in a file must not cost memory; tables grow by themselves.
  count = std::min(count, std::uint64_t{1} << 18);
  if (n >= 2) tables_[static_cast<std::size_t>(n - 2)].reserve(count);
}

void Builder::add_word(std::string_view word, float probability, float backoff) {
  if (word == "<UNK>") word = special_words[unknown];
  const auto id = static_cast<std::size_t>(words_.add(word));
  const bool is_new = id == unigrams_.size() || (id < 3 && !seen_[id]);
  if (!is_new) throw Error("the word " + std::string(word) + " came before");
  if (id < 3) seen_[id] = true;
  if (id == unigrams_.size()) unigrams_.emplace_back();
  unigrams_[id] = make_weights(probability, backoff);
}

bool Builder::end_words() {
  for (const std::uint32_t id : {sentence_begin, sentence_end})
    if (!seen_[id])
      throw Error("the unigrams have no " + std::string(special_words[id]) +
                  "; a model of sentences needs <s> and </s>");
  return seen_[unknown];
}

WordId Builder::find(std::string_view word) const {
  return words_.find(word == "<UNK>" ? special_words[unknown] : word);
}

Weights* Builder::find(int n, Key key) {
  if (n == 1) return &unigrams_[key];
  MiddleSlot* slot = tables_[static_cast<std::size_t>(n - 2)].find(key);
  return slot == nullptr ? nullptr : &slot->weights;
}

Weights* Builder::fill_in(int n, const std::uint32_t* words) {
  const Key suffix_key = key_of_words(n - 1, words + 1), key = extend_key(suffix_key, words[0]);
  Weights* suffix = find(n - 1, suffix_key);
  if (suffix == nullptr) suffix = fill_in(n - 1, words + 1);
  suffix->mark_extends_left();
  float probability = suffix->probability();
  if (Weights* context = find(n - 1, key_of_words(n - 1, words))) {
    context->mark_extends_right();
    probability += context->backoff;
    if (probability > rounding)
      throw Error("its last " + std::to_string(n) + " words are no " + std::to_string(n) +
                  "-gram of the model, and backing off gives them the log-probability " +
                  std::to_string(probability) + "; log10 of a probability is 0 at most");
    probability = std::min(probability, 0.0f);
  }
  filled_in_[static_cast<std::size_t>(n - 2)].insert(key);
  tables_[static_cast<std::size_t>(n - 2)].insert(key, make_weights(probability, 0));
  return find(n, key);
}

void Builder::add_ngram(int n, const std::uint32_t* words, float probability, float backoff) {
  const Key context_key = key_of_words(n - 1, words), suffix_key = key_of_words(n - 1, words + 1);
  Weights* context = find(n - 1, context_key);
  if (context != nullptr && n > 2) {
    const auto& filled = filled_in_[static_cast<std::size_t>(n - 3)];
    if (!filled.empty() && filled.contains(context_key)) context = nullptr;
  }
  if (context == nullptr)
    throw Error("its context, the first " + std::to_string(n - 1) + " words, is no " + std::to_string(n - 1) +
                "-gram of the model");
  context->mark_extends_right();
  Weights* suffix = find(n - 1, suffix_key);
  if (suffix == nullptr) suffix = fill_in(n - 1, words + 1);
  suffix->mark_extends_left();
  const Key key = extend_key(suffix_key, words[0]);
  if (!tables_[static_cast<std::size_t>(n - 2)].insert(key, make_weights(probability, backoff)))
    throw Error("the n-gram came before");
}

std::shared_ptr<const Image> Builder::finish() {
  ImageSizes sizes;
  sizes.order = static_cast<std::uint64_t>(order_);
  sizes.vocabulary = words_.size();
  sizes.word_slots = std::bit_ceil(2 * sizes.vocabulary);
  for (std::size_t id = 0; id < words_.size(); ++id) sizes.text += words_.word(static_cast<WordId>(id)).size();
  sizes.ngrams[0] = sizes.vocabulary;
  std::vector<std::vector<MiddleSlot>> sorted;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    sorted.push_back(tables_[i].take_sorted());
    sizes.ngrams[i + 1] = sorted[i].size();
    sizes.homes[i + 1] = 2 * sorted[i].size() + 1;  // a quarter faster than 1.5 on zh-en, for a third more memory
    sizes.slots[i + 1] = place(sorted[i], sizes.homes[i + 1], [](std::uint64_t, const MiddleSlot&) {});
  }

  auto image = std::make_shared<Image>(sizes);
  const auto slots = image->word_slots();
  const auto begins = image->word_begins();
  char* text = image->text().data();
  for (std::size_t id = 0; id < words_.size(); ++id) {
    const std::string_view word = words_.word(static_cast<WordId>(id));
    text = std::copy(word.begin(), word.end(), text);
    begins[id + 1] = begins[id] + word.size();
    const std::uint64_t key = word_key(word);
    std::uint64_t at = word_place(key, word.size()) & (slots.size() - 1);
    while (slots[at].length != 0) at = (at + 1) & (slots.size() - 1);
    slots[at] = {key, narrow<std::uint32_t>(word.size()), static_cast<std::uint32_t>(id)};
  }
  std::copy(unigrams_.begin(), unigrams_.end(), image->unigrams().begin());
  for (int n = 2; n <= order_; ++n) {
    std::vector<MiddleSlot>& from = sorted[static_cast<std::size_t>(n - 2)];
    if (n < order_) {
      const auto to = image->middle(n);
      place(from, image->homes(n), [&](std::uint64_t at, const MiddleSlot& slot) { to[at] = slot; });
    } else {
      const auto to = image->longest();
      place(from, image->homes(n), [&](std::uint64_t at, const MiddleSlot& slot) {
        to[at] = {static_cast<std::uint32_t>(slot.key), static_cast<std::uint32_t>(slot.key >> 32),
                  slot.weights.probability()};
      });
    }
    from = {};
  }
  image->seal();
  return image;
}

std::shared_ptr<const Image> to_image(Estimate& estimate) {
  Builder builder(estimate.order());
  int order = 0;
  Estimate::Ngram ngram;
  while (estimate.next(order, ngram)) {
    if (order == 1) {
      builder.add_word(estimate.words().word(static_cast<WordId>(ngram.words[0])), ngram.probability,
                       ngram.backoff);
      continue;
    }
    std::uint32_t words[max_order];  // left to right
    std::reverse_copy(ngram.words, ngram.words + order - 1, words);
    words[order - 1] = ngram.words[order - 1];
    builder.add_ngram(order, words, ngram.probability, ngram.backoff);
  }
  return builder.finish();
}

}  // namespace tunesmith::lm
