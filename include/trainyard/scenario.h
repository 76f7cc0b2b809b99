// The question: what a scenario file may say, with a record for each section (scenario/); the defaults there
// are the defaults of the file. Names, ranges, sentences and sources of the fields stand in the tables of
// src/scenario/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/assumptions.h"
#include "trainyard/scenario/circuits.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/scenario/facility.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/operation.h"
#include "trainyard/scenario/ownership.h"
#include "trainyard/scenario/resilience.h"
#include "trainyard/scenario/schedule.h"
#include "trainyard/scenario/simulation.h"
#include "trainyard/scenario/step.h"
#include "trainyard/scenario/sweeps.h"
#include "trainyard/scenario/training.h"
#include "trainyard/site_input.h"
#include "trainyard/transports.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

struct Catalog;

/// A validated, fully defaulted question.
struct Scenario {
  // Compiled once (src/scenario), as many sources copy scenarios.
  Scenario();
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  std::string title;
  std::string source_name;  // the file, or the shipped scenario's name
  FacilityInput facility;
  TrainingInput training;
  ModelInput model;
  MappingInput mapping;
  PrecisionInput precision;
  NetworkInput network;
  AssumptionsInput assumptions;
  RailInput rail;
  SiteInput site;
  FloorInput floor;
  OptimizeInput optimize;
  std::vector<DesignInput> designs;
  SimulationInput simulation;
  TransportsInput transports;
  std::vector<FailureInput> failures;
  std::vector<ProbeInput> probes;
  std::vector<TierInput> tiers;
  StepInput step;
  std::vector<StragglerInput> stragglers;
  std::vector<StepFailureInput> step_failures;
  std::vector<SweepInput> sweeps;
  WideAreaInput wide_area;
  LongHaulInput long_haul;
  MeasurementInput measurement;
  std::optional<ResilienceInput> resilience;
  std::optional<CircuitsInput> circuits;
  std::optional<ScheduleInput> schedule;
  std::optional<OperationInput> operation;
  std::optional<OwnershipInput> ownership;
  std::vector<PhaseInput> phases;
  std::shared_ptr<const Catalog> catalog;  // shipped, with the user's additions
};

}  // namespace trainyard
