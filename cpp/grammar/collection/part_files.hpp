// The arrays of a rule table while it is written, part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "grammar/collection/smoothing.hpp"
#include "grammar/rule.hpp"
#include "grammar/tables/array_file.hpp"

namespace tunesmith {

// The rules of one part. Offsets are ends, counted from the begin of the part.
struct PartRules {
  std::vector<std::uint64_t> source_ends, source_rule_ends, target_ends, link_ends, labels;
  std::vector<Symbol> source_symbols, target_symbols;
  std::vector<RuleLink> links;
  std::vector<double> source_counts, joint_counts, source_shares;
  std::vector<std::uint32_t> occurrences, pairs, source_orders;
  std::vector<float> lexical, reordering;
  // Numbers of all rules of the part, kept or not.
  std::uint64_t all_rules = 0, all_sources = 0;
  CountsOfCounts counts_of_counts;

  void add_rule(std::span<const Symbol> target, std::span<const RuleLink> alignment) {
    target_symbols.insert(target_symbols.end(), target.begin(), target.end());
    target_ends.push_back(target_symbols.size());
    links.insert(links.end(), alignment.begin(), alignment.end());
    link_ends.push_back(links.size());
  }
  // The rules since the last call have this source side.
  void close_source(std::span<const Symbol> source) {
    source_symbols.insert(source_symbols.end(), source.begin(), source.end());
    source_ends.push_back(source_symbols.size());
    source_rule_ends.push_back(target_ends.size());
  }
};

class TableFiles {
 public:
  // Arrays go to `folder`; what only scoring needs goes to `scratch`.
  TableFiles(const std::string& folder, const std::string& scratch, bool labelled, bool oriented);
  // Parts come in the order of their source sides. Offsets of `part` become those of the whole file.
  void write(PartRules& part);
  void close();
  std::uint64_t rules() const { return rule_count_; }
  std::uint64_t sources() const { return source_count_; }

 private:
  struct File {
    std::unique_ptr<ArrayWriter> writer;
    std::function<void(ArrayWriter&, const PartRules&)> write;
  };
  template <class Column>
  void add(const std::string& path, Column PartRules::* column) {
    files_.push_back({std::make_unique<ArrayWriter>(path),
                      [column](ArrayWriter& writer, const PartRules& part) { writer.write(part.*column); }});
  }
  // Offsets begin with 0.
  void add_offsets(const std::string& path, std::vector<std::uint64_t> PartRules::* ends);

  std::vector<File> files_;
  std::uint64_t source_symbol_count_ = 0, rule_count_ = 0, target_symbol_count_ = 0, link_count_ = 0,
                source_count_ = 0;
};

}  // namespace tunesmith
