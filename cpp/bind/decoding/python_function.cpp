#include "bind/decoding/python_function.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace tunesmith::bind {
namespace {

thread_local const DecoderCall* current_call = nullptr;

class Computing {
 public:
  explicit Computing(const DecoderCall& decoder) : before_(current_call) { current_call = &decoder; }
  ~Computing() { current_call = before_; }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  const DecoderCall* before_;
};

}  // namespace

const DecoderCall* DecoderCall::current() {
  return current_call;
}

void DecoderCall::check_not_waiting() const {
  for (const DecoderCall* waiting = current_call; waiting != nullptr; waiting = waiting->caller)
    if (waiting == this)
      throw Error(
          "a feature of this decoder uses the decoder itself, which waits for the feature; give the feature a "
          "decoder of its own");
}

PythonFunction::~PythonFunction() {
  const nb::gil_scoped_acquire acquire;
  call_.reset();
}

std::vector<FiredDetails> PythonFunction::operator()(const SpanQuery& query) const {
  const nb::gil_scoped_acquire acquire;
  const Computing computing(decoder_);
  const nb::object call = call_;
  if (!call.is_valid()) throw Error("the decoder has been deleted");
  try {
    const std::vector<std::string_view> words(query.words.begin(), query.words.end());
    const nb::object fired = call(words, query.begin, query.end, query.rules, query.passed);
    return nb::cast<std::vector<FiredDetails>>(fired);
  } catch (nb::python_error& error) {
    throw Error(nb::str(error.value()).c_str());
  } catch (const nb::cast_error&) {
    throw Error("a feature written in Python gave something else than lists of details and values");
  }
}

}  // namespace tunesmith::bind
