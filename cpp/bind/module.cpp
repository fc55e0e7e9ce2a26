#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "bind/convert.hpp"

// Each binds what one folder of the core has, or a part of it.
namespace tunesmith::bind {
void bind_base(nb::module_& m);
void bind_clustering(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_feature_decay(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_lm(nb::module_& m);
void bind_lm_model(nb::module_& m);
void bind_grammar(nb::module_& m);
void bind_rule_tables(nb::module_& m);
void bind_extraction(nb::module_& m);
void bind_feature_matrix(nb::module_& m);
void bind_feature_names(nb::module_& m);
void bind_features(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_other_metrics(nb::module_& m);
void bind_candidates(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_nbest_writer(nb::module_& m);
void bind_merge(nb::module_& m);
void bind_derivations(nb::module_& m);
void bind_search_graph(nb::module_& m);
void bind_bayes_risk(nb::module_& m);
void bind_mert(nb::module_& m);
void bind_mira(nb::module_& m);
void bind_graph_tuning(nb::module_& m);
void bind_graph_updates(nb::module_& m);
void bind_graph_expectation(nb::module_& m);
void bind_pair_columns(nb::module_& m);
void bind_pair_loss(nb::module_& m);
void bind_sorted_l1(nb::module_& m);
void bind_sentence_losses(nb::module_& m);
void bind_grouping(nb::module_& m);
void bind_online(nb::module_& m);
void bind_decoded(nb::module_& m);
void bind_decoding(nb::module_& m);
void bind_leave_one_out(nb::module_& m);
void bind_forced_decoding(nb::module_& m);
}  // namespace tunesmith::bind

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
  using namespace tunesmith::bind;
  bind_base(m);
  bind_clustering(m);
  bind_corpus(m);
  bind_feature_decay(m);
  bind_alignment(m);
  bind_lm(m);
  bind_lm_model(m);
  bind_grammar(m);
  bind_rule_tables(m);
  bind_extraction(m);
  bind_feature_matrix(m);
  bind_feature_names(m);
  bind_features(m);
  bind_metrics(m);
  bind_other_metrics(m);
  bind_candidates(m);
  bind_lists(m);
  bind_nbest_writer(m);
  bind_merge(m);
  bind_derivations(m);
  bind_search_graph(m);
  bind_bayes_risk(m);
  bind_mert(m);
  bind_mira(m);
  bind_graph_tuning(m);
  bind_graph_updates(m);
  bind_graph_expectation(m);
  bind_pair_loss(m);
  bind_pair_columns(m);
  bind_sorted_l1(m);
  bind_sentence_losses(m);
  bind_grouping(m);
  bind_online(m);
  bind_decoded(m);
  bind_decoding(m);
  bind_leave_one_out(m);
  bind_forced_decoding(m);
}
