#include "grammar/collection/part_files.hpp"

namespace tunesmith {
namespace {

void shift(std::vector<std::uint64_t>& offsets, std::uint64_t by) {
  for (std::uint64_t& offset : offsets) offset += by;
}

}  // namespace

TableFiles::TableFiles(const std::string& folder, const std::string& scratch, bool labelled, bool oriented) {
  add_offsets(folder + "/source_offsets", &PartRules::source_ends);
  add(folder + "/source_symbols", &PartRules::source_symbols);
  add_offsets(folder + "/source_rules", &PartRules::source_rule_ends);
  add(folder + "/source_counts", &PartRules::source_counts);
  add_offsets(folder + "/target_offsets", &PartRules::target_ends);
  add(folder + "/target_symbols", &PartRules::target_symbols);
  add_offsets(folder + "/link_offsets", &PartRules::link_ends);
  add(folder + "/links", &PartRules::links);
  add(folder + "/joint_counts", &PartRules::joint_counts);
  add(folder + "/occurrences", &PartRules::occurrences);
  add(folder + "/pairs", &PartRules::pairs);
  add(scratch + "/lexical", &PartRules::lexical);
  add(scratch + "/source_shares", &PartRules::source_shares);
  add(scratch + "/source_orders", &PartRules::source_orders);
  if (labelled) add(folder + "/labels", &PartRules::labels);
  if (oriented) add(folder + "/reordering", &PartRules::reordering);
}

void TableFiles::add_offsets(const std::string& path, std::vector<std::uint64_t> PartRules::* ends) {
  add(path, ends);
  files_.back().writer->write(std::vector<std::uint64_t>{0});
}

void TableFiles::write(PartRules& part) {
  shift(part.source_ends, source_symbol_count_);
  shift(part.source_rule_ends, rule_count_);
  shift(part.target_ends, target_symbol_count_);
  shift(part.link_ends, link_count_);
  source_symbol_count_ += part.source_symbols.size();
  rule_count_ += part.joint_counts.size();
  target_symbol_count_ += part.target_symbols.size();
  link_count_ += part.links.size();
  source_count_ += part.source_counts.size();
  for (const File& file : files_) file.write(*file.writer, part);
}

void TableFiles::close() {
  for (const File& file : files_) file.writer->close();
}

}  // namespace tunesmith
