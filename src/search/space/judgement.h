// What a question asks of a planned point.
#pragma once

#include "trainyard/search.h"

namespace trainyard {

enum class PlannedPart;

/// Whether a value keeps a limit.
bool keeps(const SearchLimit& limit, double value);

/// What has to be planned for all objectives and limits.
PlannedPart wanted_by(const SearchQuestion& question);

/// Whether an objective or a limit is about the scenario's network.
bool wants_network(const SearchQuestion& question);

}  // namespace trainyard
