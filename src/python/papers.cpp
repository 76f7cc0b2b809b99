// The papers' numbers beside ours, and their figures.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "python/record_tables.h"
#include "trainyard/circuit_truth.h"
#include "trainyard/nearest.h"
#include "trainyard/report/reproduction.h"
#include "trainyard/report/tables.h"
#include "trainyard/reproduction.h"
#include "trainyard/stored_runs.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

py::tuple rows_of(const std::string& paper, bool quick, const py::object& progress) {
  return answered(progress, [&](Work& work) {
    if (paper == "circuits") return Answer{table_json(circuit_truth_records(published_circuits()))};
    const auto tell = [&](std::size_t done, std::size_t all) {
      work.tell(static_cast<double>(done), static_cast<double>(all));
    };
    return Answer{reproduction_json(reproduce(paper, quick, tell))};
  });
}

py::tuple points_of(const std::string& figure, const py::object& progress) {
  return answered(progress, [&](Work& work) {
    const auto tell = [&](std::size_t done, std::size_t all) {
      work.tell(static_cast<double>(done), static_cast<double>(all));
    };
    return Answer{reproduction_json(figure_points(figure, tell))};
  });
}

/// What is behind Fig. 5 or 6 of HotNets '24, which long simulations draw.
py::tuple stored_figure(const std::string& figure) {
  return answered([&] {
    if (figure != "fig5" && figure != "fig6")
      fail_input(whole("figure"), "no figure '" + figure + "'", suggestion(figure, {"fig5", "fig6"}));
    const std::vector<StoredRun> runs = stored_runs().runs;
    return Answer{"{}", {table_of(figure == "fig5" ? fig5_chart(runs) : fig6_chart(runs))}};
  });
}

}  // namespace

void add_papers(py::module_& module) {
  module.def("reproduce", &rows_of);
  module.def("figure_points", &points_of);
  module.def("stored_figure", &stored_figure);
}

}  // namespace trainyard::python
