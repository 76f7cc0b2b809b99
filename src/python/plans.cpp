// Plans, and what is asked about several of them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "python/question.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/quantities.h"
#include "trainyard/rail.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/rail.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario_text.h"
#include "trainyard/traffic.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

py::tuple plan(const Question& question) {
  return answered(question, [&] { return Answer{plan_json(plan_as_stated(question.read().resolve()))}; });
}

py::tuple explain_quantity(const Question& question, const std::string& key) {
  return answered(question, [&] {
    return Answer{explain_json(plan_quantities(make_plan(question.read().resolve())), key)};
  });
}

/// The scenario's sweep of that name.
SweepInput sweep_named(const Scenario& scenario, const std::string& name) {
  std::vector<std::string> names;
  for (const SweepInput& sweep : scenario.sweeps) {
    if (sweep.name == name) return sweep;
    names.push_back(sweep.name);
  }
  fail_input(whole("names"), "the scenario has no sweep '" + name + "'", suggestion(name, names));
}

/// Those of the scenario that are named, or all; or one of `key` over `values`.
std::vector<SweepInput> wanted_sweeps(const Scenario& scenario, const std::vector<std::string>& names,
                                      const std::string& key, const std::vector<std::string>& values,
                                      const std::string& quantity) {
  std::vector<SweepInput> out;
  if (key.empty() && !values.empty()) fail_input(whole("values"), "values of no key", "key as well");
  if (!key.empty()) {
    if (!names.empty()) fail_input(whole("names"), "sweeps of the scenario and a key", "one of them");
    SweepInput& sweep = out.emplace_back();
    sweep.name = sweep.title = sweep.key = key;
    sweep.values = values;
    sweep.series.push_back({"this scenario", {}});
    sweep.places = with_place(with_place({}, "key", whole("key")), "values", whole("values"));
    if (values.empty()) fail_input(whole("values"), "a key needs values");
  } else if (names.empty()) {
    out = scenario.sweeps;
  } else {
    for (const std::string& name : names) out.push_back(sweep_named(scenario, name));
  }
  if (out.empty())
    fail_input(whole(scenario.source_name), "the scenario has no [[sweep]]",
               "give key and values, or add one");
  for (SweepInput& sweep : out) {
    if (quantity.empty()) continue;
    sweep.quantity = quantity;
    sweep.places = with_place(sweep.places, "quantity", whole("quantity"));
  }
  return out;
}

py::tuple sweep(const Question& question, const std::vector<std::string>& names, const std::string& key,
                const std::vector<std::string>& values, const std::string& quantity,
                const py::object& progress) {
  return answered(question, progress, [&](Work& work) {
    const ScenarioText text = question.read();
    const Scenario scenario = text.resolve();
    const std::vector<SweepInput> sweeps = wanted_sweeps(scenario, names, key, values, quantity);
    refuse_swept_changes(question.changes, sweeps, "set");
    const Plan example = example_plan(text, scenario, sweeps);
    const auto tell = [&](std::size_t done, std::size_t all) {
      work.tell(static_cast<double>(done), static_cast<double>(all));
    };
    std::vector<SweepResult> results;
    for (const SweepInput& input : sweeps)
      results.push_back(run_sweep(text, input, reader_of(input, example), tell));
    return Answer{sweeps_json(results, provenance_of(scenario))};
  });
}

py::tuple scaling(const Question& question) {
  return answered(question, [&] {
    const Scenario scenario = question.read().resolve();
    const FlopRate rate = make_plan(scenario).scaling.rate;
    return Answer{scaling_json(scaling_curves(rate), rate, provenance_of(scenario))};
  });
}

py::tuple rail(const Question& question) {
  return answered(question, [&] { return Answer{rail_json(question.read().resolve())}; });
}

TrafficMatrix matrix_of(const Scenario& scenario, bool of_rail) {
  if (!of_rail) return traffic_of(make_plan(scenario));
  const RailAnalysis analysis = analyse_rail(scenario);
  return traffic_of(analysis.rail, analysis.best.model_group);
}

py::tuple traffic(const Question& question, bool of_rail) {
  return answered(question, [&] {
    const Scenario scenario = question.read().resolve();
    return Answer{traffic_json(summarize(matrix_of(scenario, of_rail)), provenance_of(scenario))};
  });
}

py::object traffic_matrix(const Question& question, bool of_rail, std::int64_t first, std::int64_t count) {
  std::vector<double> block;
  run_unlocked(py::none(), [&](Work&) {
    block = traffic_block(matrix_of(question.read().resolve(), of_rail), first, count);
  });
  return square_of(std::move(block));
}

}  // namespace

void add_plans(py::module_& module) {
  module.def("plan", &plan);
  module.def("explain", &explain_quantity);
  module.def("sweep", &sweep);
  module.def("scaling", &scaling);
  module.def("rail", &rail);
  module.def("traffic", &traffic);
  module.def("traffic_matrix", &traffic_matrix);
}

}  // namespace trainyard::python
