// The answer: every number of a plan, with a record for each station (plan/). Names are those of
// docs/output.md.
#pragma once

#include <string>
#include <vector>

#include "trainyard/plan/communication.h"
#include "trainyard/plan/cost.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/plan/scaling.h"
#include "trainyard/plan/step.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

/// The other placement beside the plan's, for comparison.
struct PlacementComparison {
  Placement placement = Placement::consecutive_layers;
  Bytes gradient_out_of_domain;  // a device, one layer
  Seconds gradient;              // pipelined exchange of one layer
  Seconds pipeline_transfer;     // mean over the stages
  double exposed_share = 0;
};

/// A complete plan.
struct Plan {
  Scenario scenario;
  std::string accelerator;
  std::string hb_domain;
  FacilityPlan facility;
  ScalingPlan scaling;
  ModelPlan model;
  MappingPlan mapping;
  CommunicationPlan communication;
  StepPlan step;
  CostPlan cost;
  std::vector<PlacementComparison> placements;
};

}  // namespace trainyard
