// What several folders read off a resolved scenario.
#pragma once

#include <cstdint>
#include <string>

#include "trainyard/catalog_records.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/training.h"

namespace trainyard {

struct Scenario;

/// Key of the training program in force: the scenario's, else the accelerator's usual one, else "none".
std::string software_key(const Scenario& scenario);

/// Its habits, with what the scenario says of this run.
Software software_of(const Scenario& scenario);

/// Whether the scenario says that its run hides something, and that nothing of it is left.
bool hides(const Scenario& scenario, Hidden what);
bool hides_wholly(const Scenario& scenario, Hidden what);

/// Whether products are in fp8 with that scaling.
bool multiplies_in(const Scenario& scenario, Fp8Scaling scaling);

/// The accelerator of the scenario's HB domain.
const Accelerator& accelerator_of(const Scenario& scenario);
const std::string& accelerator_key_of(const Scenario& scenario);

/// Key of the constants of its accelerator (calibration_key); empty: none.
std::string calibration_of(const Scenario& scenario);

}  // namespace trainyard
