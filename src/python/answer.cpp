#include "python/answer.h"

#include <utility>

#include "trainyard/scenario_text.h"

namespace trainyard::python {

namespace py = pybind11;

py::tuple answered(const py::object& progress, const std::function<Answer(Work&)>& body) {
  Answer answer;
  run_unlocked(progress, [&](Work& work) { answer = body(work); });
  py::object unmet = py::none();
  if (answer.unmet)
    unmet = py::make_tuple(answer.unmet->constraint, answer.unmet->shortfall, answer.unmet->remedy);
  return py::make_tuple(answer.json, arrays_of(std::move(answer.tables)), unmet);
}

py::tuple answered(const std::function<Answer()>& body) {
  return answered(py::none(), [&](Work&) { return body(); });
}

py::tuple answered(const Question& question, const py::object& progress,
                   const std::function<Answer(Work&)>& body) {
  return answered(progress, [&](Work& work) {
    try {
      return body(work);
    } catch (const InputError& error) {
      throw InputError(question.read().placed(error.findings()));
    }
  });
}

py::tuple answered(const Question& question, const std::function<Answer()>& body) {
  return answered(question, py::none(), [&](Work&) { return body(); });
}

}  // namespace trainyard::python
