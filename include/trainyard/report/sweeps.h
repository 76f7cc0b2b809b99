// Sweeps, scaling curves and the rail-only analysis as text, JSON, CSV and charts.
#pragma once

#include <string>
#include <vector>

#include "trainyard/plan/scaling.h"
#include "trainyard/scenario/training.h"
#include "trainyard/units.h"

namespace trainyard {

struct Chart;
struct Plan;
struct Provenance;
struct QuantityReader;  // trainyard/planning.h
struct RailAnalysis;
struct SweepInput;
struct SweepResult;  // trainyard/planning.h

/// Reads a sweep's quantity off each of its plans. Throws InputError with the nearest key; `example` is any
/// plan of the scenario.
QuantityReader reader_of(const SweepInput& sweep, const Plan& example);

std::string sweeps_json(const std::vector<SweepResult>& sweeps, const Provenance& provenance);
std::string sweeps_csv(const std::vector<SweepResult>& sweeps);

/// For one law (HotNets '24 Fig. 1).
struct ScalingCurve {
  ScalingLaw law = ScalingLaw::hoffmann2;
  std::string name;
  std::vector<Seconds> durations;
  std::vector<LawPoint> points;
};
std::vector<ScalingCurve> scaling_curves(FlopRate rate);

std::string scaling_json(const std::vector<ScalingCurve>& curves, FlopRate rate,
                         const Provenance& provenance);
std::string scaling_csv(const std::vector<ScalingCurve>& curves);

/// A table with one column for each series.
std::string sweep_text(const SweepResult& sweep);

std::string scaling_text(const std::vector<ScalingCurve>& curves, FlopRate rate);

Chart sweep_chart(const SweepResult& sweep);
Chart scaling_chart(const std::vector<ScalingCurve>& curves);

/// Iteration time over HB-domain size, a line for each cluster (rail-only '23 Fig. 7).
Chart rail_chart(const RailAnalysis& analysis);

/// Performance relative to one HB network for all over batch size, a line for each K (rail-only '23 Fig. 8b).
Chart rail_batch_chart(const RailAnalysis& analysis);

}  // namespace trainyard
