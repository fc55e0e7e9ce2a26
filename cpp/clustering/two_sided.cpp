#include "clustering/two_sided.hpp"

#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t most_classes = 8192;  // half a gigabyte of pairs of classes

std::size_t checked(std::size_t classes) {
  if (classes > most_classes)
    throw Error("the two-sided objective takes at most " + std::to_string(most_classes) + " classes, got " +
                std::to_string(classes) + "; use the bidirectional one");
  return classes;
}

std::size_t index(ClassId name) {
  return static_cast<std::size_t>(name);
}

void note_class(std::vector<std::uint32_t>& counts, std::vector<ClassId>& seen, ClassId name,
                std::uint32_t count) {
  if (counts[index(name)] == 0) seen.push_back(name);
  counts[index(name)] += count;
}

// gains[c] += T(counts[c] + n) − T(counts[c]) for all classes but one.
void add_row(const std::uint32_t* counts, std::uint32_t n, std::size_t except, const XLogX& t,
             std::vector<double>& gains) {
  const double kept = except < gains.size() ? gains[except] : 0;
  for (std::size_t c = 0; c < gains.size(); ++c) gains[c] += t(std::uint64_t{counts[c]} + n) - t(counts[c]);
  if (except < gains.size()) gains[except] = kept;
}

}  // namespace

TwoSidedObjective::TwoSidedObjective(const Bigrams& bigrams, std::size_t class_count)
    : ClassObjective(bigrams.size(), checked(class_count)),
      bigrams_(bigrams),
      t_(bigrams.tokens),
      pairs_((class_count + 1) * class_count),
      flipped_(class_count * class_count),
      totals_(class_count),
      before_(class_count) {}

TwoSidedObjective::Context TwoSidedObjective::gather(std::size_t word, ScoringSpace& space) const {
  space.left.resize(class_count_ + 1);
  space.right.resize(class_count_);
  Context context;
  context.occurrences = static_cast<std::uint32_t>(bigrams_.counts[word]);
  for (const Neighbour& each : bigrams_.before.of(word)) {
    if (each.word == word) {
      context.self = each.count;
      continue;
    }
    const ClassId name = each.word == bigrams_.border() ? static_cast<ClassId>(class_count_) : classes_[each.word];
    if (name != no_class) note_class(space.left, space.left_classes, name, each.count);
  }
  for (const Neighbour& each : bigrams_.after.of(word)) {
    if (each.word == bigrams_.border()) continue;
    context.followed += each.count;
    if (each.word != word && classes_[each.word] != no_class)
      note_class(space.right, space.right_classes, classes_[each.word], each.count);
  }
  return context;
}

void TwoSidedObjective::clear(ScoringSpace& space) {
  for (const ClassId name : space.left_classes) space.left[index(name)] = 0;
  for (const ClassId name : space.right_classes) space.right[index(name)] = 0;
  space.left_classes.clear();
  space.right_classes.clear();
}

double TwoSidedObjective::score_gathered(const Context& context, ClassId own, ClassId to,
                                         const ScoringSpace& space) const {
  // N(c',c) without the word.
  const auto count = [&](ClassId left, ClassId right) {
    std::uint32_t n = pairs_[cell(index(left), index(right))];
    if (right == own) n -= space.left[index(left)];
    if (left == own) n -= space.right[index(right)];
    if (left == own && right == own) n -= context.self;
    return n;
  };
  const auto added = [&](std::uint64_t n, std::uint64_t more) { return t_(n + more) - t_(n); };
  double gain = 0;
  for (const ClassId name : space.left_classes)
    if (name != to) gain += added(count(name, to), space.left[index(name)]);
  for (const ClassId name : space.right_classes)
    if (name != to) gain += added(count(to, name), space.right[index(name)]);
  gain += added(count(to, to), std::uint64_t{space.left[index(to)]} + space.right[index(to)] + context.self);
  gain -= added(totals_[index(to)] - (to == own ? context.occurrences : 0), context.occurrences);
  gain -= added(before_[index(to)] - (to == own ? context.followed : 0), context.followed);
  return gain;
}

void TwoSidedObjective::score(std::size_t word, ScoringSpace& space) const {
  const ClassId own = classes_[word];
  const Context context = gather(word, space);
  space.gains.assign(class_count_, 0);
  for (std::size_t c = 0; c < class_count_; ++c) {
    space.gains[c] -= t_(totals_[c] + context.occurrences) - t_(totals_[c]);
    space.gains[c] -= t_(before_[c] + context.followed) - t_(before_[c]);
    const std::uint64_t here = pairs_[cell(c, c)];
    const std::uint64_t more = std::uint64_t{space.left[c]} + space.right[c] + context.self;
    if (more > 0) space.gains[c] += t_(here + more) - t_(here);
  }
  if (own != no_class) {  // the row and the column of its class without the word
    space.row.resize(class_count_);
    space.column.resize(class_count_);
    for (std::size_t c = 0; c < class_count_; ++c) {
      if (c == index(own)) continue;
      space.row[c] = pairs_[cell(index(own), c)] - space.right[c];
      space.column[c] = pairs_[cell(c, index(own))] - space.left[c];
    }
  }
  for (const ClassId name : space.left_classes)
    add_row(name == own ? space.row.data() : &pairs_[cell(index(name), 0)], space.left[index(name)], index(name),
            t_, space.gains);
  for (const ClassId name : space.right_classes)
    add_row(name == own ? space.column.data() : &flipped_[cell(index(name), 0)], space.right[index(name)],
            index(name), t_, space.gains);
  if (own != no_class) space.gains[index(own)] = score_gathered(context, own, own, space);
  clear(space);
}

double TwoSidedObjective::score_in(std::size_t word, ClassId to, ScoringSpace& space) const {
  const Context context = gather(word, space);
  const double gain = score_gathered(context, classes_[word], to, space);
  clear(space);
  return gain;
}

// Neighbours are changed class by class: there are fewer of them than words.
double TwoSidedObjective::move(std::size_t word, ClassId to, double least, ScoringSpace& space) {
  const ClassId own = classes_[word];
  const Context context = gather(word, space);
  const double gain = score_gathered(context, own, to, space) - score_gathered(context, own, own, space);
  const bool moves = gain > least;
  if (moves) {
    const auto change_pair = [&](std::size_t left, std::size_t right, std::uint32_t by) {
      pairs_[cell(left, right)] += by;
      if (left < class_count_) flipped_[cell(right, left)] += by;
    };
    const std::size_t from = index(own), next = index(to);
    for (const ClassId name : space.left_classes) {
      change_pair(index(name), from, 0 - space.left[index(name)]);
      change_pair(index(name), next, space.left[index(name)]);
    }
    for (const ClassId name : space.right_classes) {
      change_pair(from, index(name), 0 - space.right[index(name)]);
      change_pair(next, index(name), space.right[index(name)]);
    }
    change_pair(from, from, 0 - context.self);
    change_pair(next, next, context.self);
    totals_[from] -= context.occurrences;
    totals_[next] += context.occurrences;
    before_[from] -= context.followed;
    before_[next] += context.followed;
    classes_[word] = to;
  }
  clear(space);
  return moves ? gain : 0;
}

void TwoSidedObjective::change(std::size_t word, ClassId name, bool adds) {
  const std::size_t own = index(name);
  const auto changed = [&](auto& number, std::uint32_t by) { adds ? number += by : number -= by; };
  changed(totals_[own], static_cast<std::uint32_t>(bigrams_.counts[word]));
  const auto changed_pair = [&](std::size_t left, std::size_t right, std::uint32_t by) {
    changed(pairs_[cell(left, right)], by);
    if (left < class_count_) changed(flipped_[cell(right, left)], by);
  };
  for (const Neighbour& each : bigrams_.before.of(word)) {
    if (each.word == bigrams_.border())
      changed_pair(class_count_, own, each.count);
    else if (each.word == word)
      changed_pair(own, own, each.count);
    else if (classes_[each.word] != no_class)
      changed_pair(index(classes_[each.word]), own, each.count);
  }
  for (const Neighbour& each : bigrams_.after.of(word)) {
    if (each.word == bigrams_.border()) continue;
    changed(before_[own], each.count);
    if (each.word != word && classes_[each.word] != no_class)
      changed_pair(own, index(classes_[each.word]), each.count);
  }
}

void TwoSidedObjective::set_class(std::size_t word, ClassId to) {
  if (classes_[word] != no_class) change(word, classes_[word], false);
  classes_[word] = to;
  if (to != no_class) change(word, to, true);
}

double TwoSidedObjective::from_scratch() const {
  TwoSidedObjective copy(bigrams_, class_count_);
  for (std::size_t word = 0; word < bigrams_.size(); ++word) copy.set_class(word, classes_[word]);
  double sum = 0;
  for (const std::uint32_t count : copy.pairs_) sum += t_(count);
  for (const std::uint64_t count : copy.totals_) sum -= t_(count);
  for (const std::uint64_t count : copy.before_) sum -= t_(count);
  return sum;
}

}  // namespace tunesmith
