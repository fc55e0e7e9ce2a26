// A function of Python that computes a span feature, as the core calls it.
#pragma once

#include "bind/convert.hpp"
#include "features/search/called_span_feature.hpp"

namespace tunesmith::bind {

// A decoder whose features may be computed just now, and the one whose feature asked it to decode, if any. So it
// is known which decoders wait for what this thread does.
struct DecoderCall {
  const DecoderCall* caller = nullptr;

  // Throws Error if this thread computes a feature of the decoder, be it through other decoders: it would wait for
  // itself.
  void check_not_waiting() const;
  // The decoder whose feature this thread computes; null for most threads.
  static const DecoderCall* current();
};

// call(words, begin, end, rules, passed) gives, for each of the rules, a list of (detail, value); see SpanQuery.
class PythonFunction {
 public:
  // `decoder` outlives the function.
  PythonFunction(nb::object call, const DecoderCall& decoder) : call_(std::move(call)), decoder_(decoder) {}
  ~PythonFunction();
  PythonFunction(const PythonFunction&) = delete;
  PythonFunction& operator=(const PythonFunction&) = delete;

  std::vector<FiredDetails> operator()(const SpanQuery& query) const;

  // For Python's garbage collector.
  nb::handle held() const { return call_; }
  void clear() { call_.reset(); }

 private:
  nb::object call_;
  const DecoderCall& decoder_;
};

}  // namespace tunesmith::bind
