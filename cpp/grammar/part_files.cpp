#include "grammar/part_files.hpp"

namespace tunesmith {
namespace {

void shift(std::vector<std::uint64_t>& offsets, std::uint64_t by) {
  for (std::uint64_t& offset : offsets) offset += by;
}

}  // namespace

TableFiles::TableFiles(const std::string& folder, const std::string& scratch, bool labelled, bool oriented)
    : source_offsets_(folder + "/source_offsets"),
      source_symbols_(folder + "/source_symbols"),
      source_rules_(folder + "/source_rules"),
      source_counts_(folder + "/source_counts"),
      target_offsets_(folder + "/target_offsets"),
      target_symbols_(folder + "/target_symbols"),
      link_offsets_(folder + "/link_offsets"),
      links_(folder + "/links"),
      joint_counts_(folder + "/joint_counts"),
      occurrences_(folder + "/occurrences"),
      pairs_(folder + "/pairs"),
      lexical_(scratch + "/lexical"),
      source_shares_(scratch + "/source_shares"),
      source_orders_(scratch + "/source_orders") {
  if (labelled) labels_ = std::make_unique<ArrayWriter>(folder + "/labels");
  if (oriented) reordering_ = std::make_unique<ArrayWriter>(folder + "/reordering");
  const std::vector<std::uint64_t> zero = {0};
  for (ArrayWriter* file : {&source_offsets_, &source_rules_, &target_offsets_, &link_offsets_}) file->write(zero);
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
  source_offsets_.write(part.source_ends);
  source_symbols_.write(part.source_symbols);
  source_rules_.write(part.source_rule_ends);
  source_counts_.write(part.source_counts);
  target_offsets_.write(part.target_ends);
  target_symbols_.write(part.target_symbols);
  link_offsets_.write(part.link_ends);
  links_.write(part.links);
  joint_counts_.write(part.joint_counts);
  occurrences_.write(part.occurrences);
  pairs_.write(part.pairs);
  if (labels_) labels_->write(part.labels);
  if (reordering_) reordering_->write(part.reordering);
  lexical_.write(part.lexical);
  source_shares_.write(part.source_shares);
  source_orders_.write(part.source_orders);
}

void TableFiles::close() {
  for (ArrayWriter* file : {&source_offsets_, &source_symbols_, &source_rules_, &source_counts_, &target_offsets_,
                            &target_symbols_, &link_offsets_, &links_, &joint_counts_, &occurrences_, &pairs_,
                            &lexical_, &source_shares_, &source_orders_})
    file->close();
  if (labels_) labels_->close();
  if (reordering_) reordering_->close();
}

}  // namespace tunesmith
