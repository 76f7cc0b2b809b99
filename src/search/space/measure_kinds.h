// What distinguishes measures, said where they are listed.
#pragma once

#include "trainyard/search.h"

namespace trainyard {

/// Proportional to a power of the step's time.
inline SearchMeasure timed(SearchMeasure measure, int power = 1) {
  measure.time_power = power;
  return measure;
}

inline SearchMeasure largest(SearchMeasure measure) {
  measure.largest = true;
  return measure;
}

}  // namespace trainyard
