// Shipped scenarios with changes, and their cuts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/model.h"
#include "parallel/parallel.h"
#include "trainyard/facility.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

inline Scenario with(const std::string& name, const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

/// Fails the test where there is none.
inline MappingPlan cut(const Scenario& s, Cut c, Placement placement = Placement::same_layer) {
  std::string why;
  const auto mapping =
      cut_model(s, plan_facility(s), plan_model(s.model, s.training, s.assumptions.causal_attention), c,
                placement, &why);
  EXPECT_TRUE(mapping) << why;
  return mapping.value_or(MappingPlan{});
}

}  // namespace trainyard
