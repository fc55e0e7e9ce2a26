#include "decoding/hiero_decoder.hpp"

#include "base/parallel.hpp"
#include "base/words.hpp"

namespace tunesmith {

HieroDecoder::HieroDecoder(HieroModel model, std::shared_ptr<const Vocabulary> source, DecoderOptions options)
    : model_(std::move(model)), source_(std::move(source)), options_(options), scorer_(model_) {
  for (const auto& feature : model_.features)
    if (!feature->serves(SearchOrder::bottom_up))
      throw Error("a feature of this model cannot be used in hierarchical search");
}

void HieroDecoder::set_weights(std::span<const double> weights) {
  for (const auto& feature : model_.features) feature->set_weights(weights);
  ++model_.epoch;
}

Decoded HieroDecoder::decode_line(HieroSearch& search, std::string_view line, const GraphRequest& request) const {
  Sentence sentence;
  for_each_word(line, [&](std::string_view word) {
    sentence.text.push_back(word);
    sentence.words.push_back(static_cast<std::uint32_t>(source_->find(word).value_or(0)));
  });
  const Chart& chart = search.run(sentence, !request.best_only);
  Decoded decoded;
  decoded.graph = to_graph(chart, model_, scorer_, sentence, request);
  decoded.local.resize(decoded.graph.applications.size());
  for (std::size_t i = 0; i < decoded.local.size(); ++i) {
    const RuleId rule = decoded.graph.applications[i].rule;
    model_.local->score(rule, rule + 1, &decoded.local[i]);
  }
  decoded.pops = chart.pops;
  decoded.edges = chart.edges.size();
  decoded.bytes = chart.bytes();
  decoded.limited = chart.limited;
  decoded.timed_out = chart.timed_out;
  return decoded;
}

std::vector<Decoded> HieroDecoder::decode(std::span<const std::string_view> lines, const GraphRequest& request,
                                          int threads, const std::atomic<bool>* stop) {
  std::vector<Decoded> out(lines.size());
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  std::atomic<std::size_t> next = 0;
  while (searches_.size() < std::min(workers, lines.size()))
    searches_.push_back(std::make_unique<HieroSearch>(model_, options_));
  // Whoever is free takes the next line: sentences differ in length.
  parallel_ranges(std::min(workers, lines.size()), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t worker = begin; worker < end; ++worker)
      for (std::size_t at = next++; at < lines.size() && (stop == nullptr || !*stop); at = next++)
        out[at] = decode_line(*searches_[worker], lines[at], request);
  });
  return out;
}

}  // namespace tunesmith
