// Charts of a step over circuits.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

struct CircuitsAnswer;

/// The ports of every stage's devices in time: whose circuits send, and changes.
std::string circuits_timeline(const CircuitsAnswer& answer);

/// The step by the time of a change, and without changes.
std::vector<Chart> circuit_charts(const CircuitsAnswer& answer);

}  // namespace trainyard
