// How far runs of months lie apart by what they wait for servers, in closed form.
#pragma once

#include "trainyard/goodput.h"

namespace trainyard {

/// Times of runs that need so much time with all servers, over the time after which their mean has had it.
/// Infinite where crews do not keep up.
struct SpreadOfRuns {
  double mean = 1;
  double deviation = 0;  // standard, of a run
};
SpreadOfRuns spread_of_runs(const GoodputCase& c, double served_s);

}  // namespace trainyard
