// Training steps at random: a model, how it is cut, rates and delays, algorithms, a schedule.
#pragma once

#include "dice.h"
#include "draft.h"

namespace trainyard::properties {

/// On the hardware of drawn_hardware.h, with every count of the mapping given.
Draft draw_training(Dice& dice);

/// The same with everything of the mapping left to the program.
Draft draw_unmapped_training(Dice& dice);

/// On an accelerator of the catalog whose operators were measured, with its rates as settings.
Draft draw_calibrated_training(Dice& dice);

}  // namespace trainyard::properties
