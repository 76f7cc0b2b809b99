// Results as text for people, as JSON and as CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "report/quantities.h"
#include "search/sweep.h"
#include "trainyard/plan.h"

namespace trainyard {

/// Where a result comes from: part of every JSON output.
struct Provenance {
  std::string program_version;
  std::string scenario;
  std::string scenario_hash;
  std::string catalog_version;
};
Provenance provenance_of(const Scenario& scenario);

/// The version of the program.
std::string program_version();

/// " +-8%": how far an interval reaches; nothing of an exact figure.
std::string margin_text(const Interval& interval);

/// The story of a plan on one or two screens.
std::string plan_text(const Plan& plan);

/// Every quantity by section and name, with warnings, operators, gradient exchanges and provenance.
std::string plan_json(const Plan& plan);
std::string plan_csv(const Plan& plan);

/// A sweep: a table with one column for each series.
std::string sweep_text(const SweepResult& sweep);
std::string sweeps_json(const std::vector<SweepResult>& sweeps, const Provenance& provenance);
std::string sweeps_csv(const std::vector<SweepResult>& sweeps);

/// Loss-optimal sizes over training time, for every law (HotNets '24 Fig. 1).
struct ScalingCurve {
  ScalingLaw law = ScalingLaw::hoffmann2;
  std::string name;
  std::vector<Seconds> durations;
  std::vector<LawPoint> points;
};
std::vector<ScalingCurve> scaling_curves(FlopRate rate);
std::string scaling_text(const std::vector<ScalingCurve>& curves, FlopRate rate);
std::string scaling_json(const std::vector<ScalingCurve>& curves, FlopRate rate,
                         const Provenance& provenance);
std::string scaling_csv(const std::vector<ScalingCurve>& curves);

/// A number as JSON and CSV write it: shortest text that reads back the same.
std::string number_text(double value);

}  // namespace trainyard
