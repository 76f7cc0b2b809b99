// Network designs: counted, priced, searched; their cables.
#include "trainyard/report/networks.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "python/answer.h"
#include "python/functions.h"
#include "python/question.h"
#include "trainyard/network_design.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/provenance.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/wide_area.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

py::tuple network(const Question& question, const std::string& design) {
  return answered(question, [&] {
    const Scenario scenario = question.read().resolve();
    return Answer{networks_json(answer_networks(scenario, design), provenance_of(scenario))};
  });
}

py::tuple best_network(const Question& question, const std::string& design, const py::object& progress) {
  return answered(question, progress, [&](Work& work) {
    if (!design.empty())
      fail_input(whole("design"), "a search has designs of its own", "without design, or without optimize");
    const Scenario scenario = question.read().resolve();
    const NetworkSearch found = search_networks(scenario, [&](std::size_t done, std::size_t all) {
      work.tell(static_cast<double>(done), static_cast<double>(all));
    });
    return Answer{network_search_json(found, provenance_of(scenario))};
  });
}

py::tuple wide_area(const Question& question) {
  return answered(question, [&] {
    const Scenario scenario = question.read().resolve();
    return Answer{wide_area_json(scenario, plan_wide_area(scenario))};
  });
}

/// The cables of a design as CSV.
std::string cables(const Question& question, const std::string& design) {
  std::string out;
  run_unlocked(py::none(), [&](Work&) {
    const auto designs = designs_of(question.read().resolve(), design);
    if (designs.size() > 1)
      fail_input(whole("design"), "the scenario has several designs", "name one of them");
    out = cable_list(designs.front());
  });
  return out;
}

}  // namespace

void add_networks(py::module_& module) {
  module.def("network", &network);
  module.def("best_network", &best_network);
  module.def("wide_area", &wide_area);
  module.def("cables", &cables);
}

}  // namespace trainyard::python
