// Loss-optimal sizes over training time.
#pragma once

#include <string>
#include <vector>

#include "report/data/provenance.h"
#include "trainyard/plan.h"

namespace trainyard {

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

}  // namespace trainyard
