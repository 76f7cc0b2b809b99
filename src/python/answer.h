// What every function of the module gives.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "python/columns.h"
#include "python/question.h"
#include "python/work.h"
#include "trainyard/errors.h"

namespace trainyard::python {

struct Answer {
  std::string json = {};  // as the verb's --json
  std::vector<Table> tables = {};
  std::optional<Infeasible> unmet = {};  // the answer says what cannot be
};

/// The answer of work without Python's lock, as (json, tables, unmet); see run_unlocked().
pybind11::tuple answered(const pybind11::object& progress, const std::function<Answer(Work&)>& body);
pybind11::tuple answered(const std::function<Answer()>& body);

/// The same of a scenario: errors that name one of its settings alone have the place where it says that.
pybind11::tuple answered(const Question& question, const pybind11::object& progress,
                         const std::function<Answer(Work&)>& body);
pybind11::tuple answered(const Question& question, const std::function<Answer()>& body);

}  // namespace trainyard::python
