// Everything that the verbs of `trainyard` do, as functions from records to records. Nothing prints, nothing
// exits; what is wrong with an input is an InputError with its places, a question without an answer an
// Infeasible, and a simulation that was asked to stop a SimulationStopped. docs/library.md is the guide.
#pragma once

#include "trainyard/catalog.h"            // accelerators, networks, models, prices
#include "trainyard/connections.h"        // scenarios whose flows are a connection matrix
#include "trainyard/grid.h"               // the power grid of `site`
#include "trainyard/grid_import.h"        // `import-grid`
#include "trainyard/load_balancing.h"     // by name, for a Scenario in code
#include "trainyard/long_haul.h"          // packets between sites
#include "trainyard/measured_runs.h"      // runs for `validate`
#include "trainyard/network_design.h"     // `network`: counts and prices of designs
#include "trainyard/network_load.h"       // `network --traffic`
#include "trainyard/network_search.h"     // `network --optimize`
#include "trainyard/networks_compared.h"  // what a network does to training
#include "trainyard/operator_fit.h"       // `validate --operators --fit`
#include "trainyard/pipeline_schedule.h"  // by name
#include "trainyard/plan_traffic.h"       // `traffic`
#include "trainyard/planning.h"           // `plan` and `sweep`
#include "trainyard/quantities.h"         // a plan's numbers by name
#include "trainyard/rail.h"               // `rail`
#include "trainyard/ranks.h"              // processes that answer together
#include "trainyard/reproduction.h"       // `reproduce`
#include "trainyard/result_store.h"       // results that are kept in a file
#include "trainyard/route.h"              // `network --route`
#include "trainyard/run_explanation.h"    // `validate --explain`
#include "trainyard/scenario_text.h"      // a scenario's text into a question
#include "trainyard/search.h"             // `search`: the best values of free settings
#include "trainyard/simulation.h"         // `simulate`
#include "trainyard/site.h"               // `site`
#include "trainyard/step.h"               // `step`
#include "trainyard/step_fault.h"         // by name
#include "trainyard/topology_kind.h"      // by name
#include "trainyard/validation.h"         // `validate`
#include "trainyard/wide_area.h"          // `wide-area`
