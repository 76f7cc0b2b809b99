// Searches, months, circuits, sites and measured runs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "python/question.h"
#include "trainyard/assignment_text.h"
#include "trainyard/catalog.h"
#include "trainyard/circuits.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/grid.h"
#include "trainyard/mapping_gap.h"
#include "trainyard/measured_runs.h"
#include "trainyard/operation.h"
#include "trainyard/operator_table.h"
#include "trainyard/operator_validation.h"
#include "trainyard/ownership.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/printable.h"
#include "trainyard/provenance.h"
#include "trainyard/report/circuits.h"
#include "trainyard/report/goodput.h"
#include "trainyard/report/operation.h"
#include "trainyard/report/ownership.h"
#include "trainyard/report/search.h"
#include "trainyard/report/siting.h"
#include "trainyard/report/validation.h"
#include "trainyard/run_explanation.h"
#include "trainyard/scenario/search.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"
#include "trainyard/search_sensitivity.h"
#include "trainyard/site.h"
#include "trainyard/step_at_rate.h"
#include "trainyard/validation.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

Seconds processor_time() { return Seconds(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

/// The space with these values of free settings alone.
WhyNot why_not(const ScenarioText& text, SearchQuestion question, const std::vector<std::string>& settings) {
  WhyNot out;
  for (const std::string& setting : settings) {
    const auto sides = assignment_text(setting);
    if (!sides) fail_input(whole("why_not " + setting), "expected key=value");
    question.fixed.emplace_back(sides->key, sides->value);
    const auto& [key, value] = question.fixed.back();
    out.settings += (out.settings.empty() ? "" : ", ") + key + "=" + value;
  }
  out.result = search(text, question);
  return out;
}

py::tuple run_search(const Question& asked, std::uint64_t most, std::int64_t threads,
                     const std::vector<std::string>& not_these, bool sensitivity,
                     const std::vector<std::string>& what_if, const py::object& progress) {
  return answered(asked, progress, [&](Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    const Seconds before = processor_time();
    const ScenarioText text = asked.read();
    SearchAnswer answer;
    answer.title = printable(text.title());
    answer.question = search_question(text, text.search());
    answer.question.most = most;
    answer.question.threads = threads_of(threads);
    answer.question.progress = [&work](std::uint64_t done, std::uint64_t all, std::optional<double>) {
      work.tell(static_cast<double>(done), static_cast<double>(all));
    };
    answer.result = search(text, answer.question);
    if (!not_these.empty()) answer.why_not.push_back(why_not(text, answer.question, not_these));
    if ((sensitivity || !what_if.empty()) && !answer.result.ranked.empty())
      answer.sensitivity = search_sensitivity(text, answer.question, answer.result, what_if, sensitivity);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    answer.cost = {processor_time() - before, Seconds(wall.count()), answer.question.threads};
    Answer out{search_json(answer, provenance_of(text))};
    if (answer.result.ranked.empty())
      out.unmet.emplace("a point of the space", "none is an answer", "more values, or weaker limits");
    return out;
  });
}

py::tuple goodput(const Question& question, std::int64_t threads, const py::object& progress) {
  return answered(question, progress, [&](Work& work) {
    const unsigned workers = threads_of(threads);
    const Plan plan = make_plan(question.read().resolve());
    const GoodputCase c = goodput_case(plan, step_at_rate(plan));
    const Seconds before = processor_time();
    const GoodputAnswer answer = study_goodput(plan, c, workers, [&](std::size_t done, std::size_t runs) {
      work.tell(static_cast<double>(done), static_cast<double>(runs));
    });
    return Answer{goodput_json(plan.scenario, answer, processor_time() - before)};
  });
}

py::tuple circuits(const Question& question) {
  return answered(question, [&] {
    const Plan plan = make_plan(question.read().resolve());
    return Answer{circuits_json(plan.scenario, study_circuits(plan))};
  });
}

py::tuple operate(const Question& question) {
  return answered(question, [&] {
    const Plan plan = make_plan(question.read().resolve());
    return Answer{operation_json(plan.scenario, study_operation(plan))};
  });
}

py::tuple years(const Question& question) {
  return answered(question, [&] {
    const Scenario scenario = question.read().resolve();
    return Answer{ownership_json(scenario, study_ownership(scenario))};
  });
}

/// (latitude, longitude), degrees.
using Place = std::pair<double, double>;

std::vector<GeoPoint> points_of(const std::vector<Place>& places) {
  constexpr std::size_t kMost = 8;  // sites of a split
  if (places.size() > kMost) fail_input(whole("at"), "more than 8 places", "allowed: 1 to 8");
  std::vector<GeoPoint> out;
  for (const auto& [latitude, longitude] : places) {
    const bool valid = std::abs(latitude) <= 90 && std::abs(longitude) <= 180;
    if (!valid)
      fail_input(whole("at"), "a place is no latitude and longitude", "(-90 to 90, -180 to 180) degrees");
    const GeoPoint point{latitude, longitude};
    for (const GeoPoint& other : out) {
      if (same_place(point, other)) fail_input(whole("at"), "a place stands twice", "name it once");
    }
    out.push_back(point);
  }
  return out;
}

std::optional<Infeasible> unmet_of(const std::optional<UnmetPower>& unmet) {
  if (!unmet) return std::nullopt;
  std::string remedy;
  for (const std::string& r : unmet->remedies)
    remedy += (remedy.empty() ? "it would hold with " : ", or ") + r;
  return Infeasible(unmet->constraint, unmet->shortfall, remedy);
}

/// Its radius, where one is given in place of the scenario's.
void set_radius(Scenario& scenario, std::optional<double> radius_km) {
  constexpr double kHalfEarth_km = 20000;
  if (!radius_km) return;
  const bool valid = *radius_km >= 0 && *radius_km <= kHalfEarth_km;
  if (!valid) fail_input(whole("radius_km"), "is out of range", "allowed: 0 to 20000");
  scenario.site.radius = as<Metres>(Kilometres(*radius_km));
}

py::tuple site(const Question& question, const std::string& grid_folder, const std::vector<Place>& places,
               std::optional<double> radius_km) {
  return answered(question, [&] {
    Scenario scenario = question.read().resolve();
    if (!grid_folder.empty()) scenario.site.grid = grid_folder;
    set_radius(scenario, radius_km);
    const FacilityPlan facility = plan_facility(scenario);
    const Grid grid = grid_of(scenario.site);
    if (places.empty()) {
      const SitingPlan plan = plan_sites(scenario, facility, grid);
      return Answer{siting_json(plan, provenance_of(scenario)), {}, unmet_of(plan.unmet)};
    }
    const auto power = as<Megawatts>(scenario.site.power.value_or(facility.power_high));
    std::vector<Kilometres> radii;
    if (radius_km) {
      radii.emplace_back(*radius_km);
    } else {
      for (const Metres radius : scenario.site.radii) radii.push_back(as<Kilometres>(radius));
    }
    const PlacesPlan plan = plan_places(scenario, facility, grid, power, points_of(places), radii);
    return Answer{places_json(plan, grid), {}, unmet_of(plan.unmet)};
  });
}

Provenance of_catalog(const Catalog& catalog) { return {program_version(), "", "", catalog.version()}; }

py::tuple validate(const std::vector<std::string>& runs, const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog catalog = catalog_with(folders);
    return Answer{
        validation_json(validate_runs(read_runs(runs, catalog).runs, catalog), of_catalog(catalog))};
  });
}

py::tuple validate_mappings(const std::vector<std::string>& runs, const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog catalog = catalog_with(folders);
    return Answer{
        mapping_gaps_json(mapping_gaps(read_runs(runs, catalog).runs, catalog), of_catalog(catalog))};
  });
}

py::tuple validate_operator_tables(const std::vector<std::string>& tables,
                                   const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog catalog = catalog_with(folders);
    const OperatorTable table = read_operator_tables(tables, catalog);
    return Answer{operators_json(validate_operators(table, catalog), of_catalog(catalog))};
  });
}

py::tuple explain_measured(const std::string& id, const std::vector<std::string>& runs,
                           const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog catalog = catalog_with(folders);
    const std::vector<MeasuredRun> all = read_runs(runs, catalog).runs;
    return Answer{explanation_json(explain_run(run_of_id(all, id, "explain"), catalog), of_catalog(catalog))};
  });
}

}  // namespace

void add_studies(py::module_& module) {
  module.def("search", &run_search);
  module.def("goodput", &goodput);
  module.def("circuits", &circuits);
  module.def("operate", &operate);
  module.def("years", &years);
  module.def("site", &site);
  module.def("validate", &validate);
  module.def("validate_mappings", &validate_mappings);
  module.def("validate_operators", &validate_operator_tables);
  module.def("explain_run", &explain_measured);
}

}  // namespace trainyard::python
