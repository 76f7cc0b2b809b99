// trainyard._trainyard: what python/trainyard/__init__.py calls. Its functions take a Question and give
// (json, tables, unmet); what they mean stands there.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "python/errors.h"
#include "python/functions.h"
#include "python/question.h"
#include "trainyard/provenance.h"
#include "trainyard/scenario_text.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

Question question_of(std::string scenario, bool is_text, std::string text, std::vector<std::string> changes,
                     std::vector<std::string> folders) {
  return {std::move(scenario), is_text, std::move(text), std::move(changes), std::move(folders)};
}

/// (name, title, text) of each.
std::vector<std::vector<std::string>> shipped() {
  std::vector<std::vector<std::string>> out;
  for (const ShippedScenario& scenario : shipped_scenarios())
    out.push_back({scenario.name, scenario.title, scenario.text});
  return out;
}

void fill(py::module_& module) {
  register_errors();
  py::class_<Question>(module, "Question")
      .def(py::init(&question_of), py::arg("scenario"), py::arg("is_text"), py::arg("text"),
           py::arg("changes"), py::arg("catalog_folders"));
  module.def("version", &program_version);
  module.def("shipped", &shipped);
  module.def("schema", &scenario_schema);
  add_plans(module);
  add_networks(module);
  add_simulations(module);
  add_schedules(module);
  add_studies(module);
  add_papers(module);
  add_tables(module);
}

}  // namespace
}  // namespace trainyard::python

PYBIND11_MODULE(_trainyard, module) { trainyard::python::fill(module); }
