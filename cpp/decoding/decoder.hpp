// A decoder: a model, its weights, and a search for each thread, of the kind that the model names.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/decoded.hpp"
#include "decoding/options.hpp"
#include "decoding/phrase/forced_phrases.hpp"
#include "decoding/search_kinds.hpp"
#include "features/feature_index.hpp"

namespace tunesmith {

struct DecodeRequest {
  std::size_t k = 1;      // derivations of each line, 1 or more
  bool distinct = false;  // of different strings
  bool graph = false;     // the whole graph even if one derivation is asked for
  // The counts that are left out of line i are those of pair left_out_pairs[i].
  const LeaveOneOut* left_out = nullptr;
  std::span<const std::int64_t> left_out_pairs{};
};

class Decoder {
 public:
  // Throws Error for parts that do not fit together.
  Decoder(DecoderModel model, const DecoderOptions& options);

  // All weights by the numbers of the feature index; missing ones are 0. Not while decoding. Nothing is computed
  // for rules before a sentence needs them.
  void set_weights(std::vector<double> weights);
  // Some of them: costs nothing for the others.
  void update_weights(std::span<const std::uint32_t> ids, std::span<const double> values);
  const std::vector<double>& weights() const { return model_.weights; }

  // Sets translations of source words for all later sentences. Not while decoding. Throws Error if the search
  // cannot force phrases.
  void set_forced(std::vector<ForcedPhrase> phrases);
  // The label of all sentences to come, as features see it.
  void set_label(std::int32_t label) { label_ = label; }

  // Each line in order, the same for every number of threads. Once `stop` is true the work ends soon, and what is
  // returned is of no use.
  std::vector<Decoded> decode(std::span<const std::string_view> lines, const DecodeRequest& request, int threads,
                              const std::atomic<bool>* stop = nullptr);
  // The same with a decoder for each line, decoders[which[i]] for line i. All are of one model and differ in
  // weights.
  static std::vector<Decoded> decode(std::span<Decoder* const> decoders, std::span<const std::int64_t> which,
                                     std::span<const std::string_view> lines, const DecodeRequest& request,
                                     int threads, const std::atomic<bool>* stop = nullptr);

  // Gives the sparse features of these results their numbers, new ones in the order of the lines; without `grow`
  // features that have none are left out. Returns the numbers of those across rules, each once, in that order.
  std::vector<std::uint32_t> number_sparse(std::span<Decoded> results, FeatureIndex& index, bool grow);
  // Whether a sparse feature across rules can have this name.
  bool can_have(std::string_view name) const;
  // Tells the features across rules of names in the index from `first` on.
  void learn_names(const FeatureIndex& index, std::uint32_t first);

  // Begins to measure times, which makes search a little slower. Not while decoding.
  void start_profile();
  // The times of all threads since then; nothing without start_profile(). Features are in this order.
  std::vector<std::string> feature_names() const;
  SearchProfile profile() const;

  const DecoderModel& model() const { return model_; }
  const DecoderOptions& options() const { return options_; }

 private:
  void weights_changed();
  void check_left_out(const DecodeRequest& request, std::size_t lines) const;
  double weight_of(const SparseKey& key) const;
  // What a thread has of its own.
  struct Worker {
    Worker(const DecoderModel& model, const DecoderOptions& options, bool profiled);
    SearchProfile profile;
    std::unique_ptr<Search> search;
    KeptMemories memories;
  };
  Sentence read_line(std::string_view line, Decoded& decoded) const;
  void make_lists(const Chart& chart, SentenceRows& rows, const DecodeRequest& request,
                  const ChartMargins& margins, Decoded& decoded) const;
  Decoded decode_line(Worker& worker, std::string_view line, const DecodeRequest& request, const OwnPair* left_out,
                      const std::atomic<bool>* stop) const;
  // Calls `use(feature, detail)` for the features that a sparse feature of this name may belong to, until it
  // returns true; whether it has.
  template <class Use>
  bool find_feature(std::string_view name, Use use) const;

  DecoderModel model_;
  DecoderOptions options_;
  EdgeScorer scorer_;
  ForcedPhrases forced_;
  // Names by SparseKey::feature: the names of features with sparse values, null for others.
  struct Sparse {
    std::string_view name;
    SparseNames* names;
  };
  std::vector<Sparse> sparse_;
  bool has_sparse_ = false;
  bool profiled_ = false;
  std::int32_t label_ = -1;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tunesmith
