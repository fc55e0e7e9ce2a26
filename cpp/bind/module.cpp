#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "bind/convert.hpp"

namespace {

// Messages quote what was read, and may cut it inside a character.
nanobind::object message_of(const std::exception& error) {
  const std::string_view text(error.what());
  return nanobind::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The native core of TuneSMiTh. Use it through the packages of tunesmith, not directly.";
  nanobind::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const tunesmith::LineError& error) {
      PyErr_SetObject(PyExc_ValueError, nanobind::make_tuple(message_of(error), error.line).ptr());
    } catch (const tunesmith::Error& error) {
      PyErr_SetObject(PyExc_ValueError, message_of(error).ptr());
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::resource_unavailable_try_again) throw;
      PyErr_SetString(PyExc_MemoryError, "a thread cannot be started");
    } catch (const tunesmith::FileError& error) {
      PyErr_SetObject(PyExc_OSError, message_of(error).ptr());
    }
  });
  tunesmith::bind::bind_base(m);
  tunesmith::bind::bind_corpus(m);
  tunesmith::bind::bind_alignment(m);
  tunesmith::bind::bind_lm(m);
  tunesmith::bind::bind_lm_model(m);
  tunesmith::bind::bind_grammar(m);
  tunesmith::bind::bind_features(m);
  tunesmith::bind::bind_metrics(m);
  tunesmith::bind::bind_candidates(m);
  tunesmith::bind::bind_lists(m);
  tunesmith::bind::bind_merge(m);
  tunesmith::bind::bind_search_graph(m);
  tunesmith::bind::bind_tuning(m);
  tunesmith::bind::bind_sentence_losses(m);
  tunesmith::bind::bind_grouping(m);
  tunesmith::bind::bind_decoding(m);
  tunesmith::bind::bind_leave_one_out(m);
}
