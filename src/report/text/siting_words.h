// Sentences on sites that the terminal and the page share.
#pragma once

#include <optional>
#include <string>

#include "trainyard/siting.h"

namespace trainyard {

/// Whether the network feeds a split, and what is left after the worst loss.
std::string joint_words(const std::optional<JointFlow>& joint);

/// A training run in a few words: what the distance adds to a step and how long the run takes.
std::string training_brief(const TrainingRun& run);

/// The same with the exchange between sites behind it, and what it costs.
std::string training_words(const TrainingRun& run);

}  // namespace trainyard
