// A question with one free variable: the plan at each of many values, once for each series.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainyard/scenario/sweeps.h"
#include "trainyard/units.h"

namespace trainyard {

class Ranks;
class ScenarioText;
struct Plan;
struct Scenario;

/// One value of one series: the plan's numbers, or why there is no plan.
struct SweepPoint {
  std::string value;       // as written
  double x = 0;            // in base units
  double y = 0;            // NaN when infeasible
  std::string infeasible;  // empty when there is a plan
};

struct SweepLine {
  std::string label;
  std::vector<SweepPoint> points;
};

struct SweepResult {
  SweepInput input;
  Unit x_unit = Unit::number;
  Unit y_unit = Unit::number;
  std::string x_label;  // sentence of the key's field
  std::string y_label;
  std::vector<SweepLine> lines;
};

/// Reads a number off a plan; NaN when the plan has no such quantity. Given by report/, which names the
/// quantities.
struct QuantityReader {
  std::string label;
  Unit unit = Unit::number;
  std::function<double(const Plan&)> read;
};

/// Progress of a long sweep: points done, points in all.
using Progress = std::function<void(std::size_t, std::size_t)>;

/// Plans every point. Throws InputError when a value or a series does not fit the scenario. With ranks they
/// plan together, and rank 0 alone has the points.
SweepResult run_sweep(const ScenarioText& scenario, const SweepInput& sweep, const QuantityReader& reader,
                      const Progress& progress = {}, Ranks* ranks = nullptr);

/// A plan that shows which quantities sweeps may read: the scenario's own, or the first of their points that
/// has one. Throws the scenario's Infeasible where none has.
Plan example_plan(const ScenarioText& text, const Scenario& scenario, const std::vector<SweepInput>& sweeps);

/// Throws InputError for a change (key=value) of what every sweep sets itself, at `flag` and the change: it
/// would be lost.
void refuse_swept_changes(const std::vector<std::string>& changes, const std::vector<SweepInput>& sweeps,
                          const std::string& flag);

/// One plan, from scenario to cost. Throws Infeasible.
Plan make_plan(const Scenario& scenario);

/// The same, but a mapping that the scenario states whole is also planned where its predicted memory is more
/// than a device has and may fit by the prediction's error (a chance above 5%); a warning says the chance.
/// For who shows a plan's warnings.
Plan plan_as_stated(const Scenario& scenario);

}  // namespace trainyard
