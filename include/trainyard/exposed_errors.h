// The error bar of exposed communication, which no run reports by itself: what the errors of whole steps say
// of it (docs/models.md, "The error bar of exposed communication").
#pragma once

#include <cstddef>
#include <optional>

#include "trainyard/plan/step.h"

namespace trainyard {

struct Validation;

/// 80% intervals of what of a step is exposed communication.
struct ExposedInterval {
  Interval time;         // over the predicted time; 1 to 1: none
  double share_low = 0;  // of the step, absolute
  double share_high = 0;
};

/// Of a step whose transfers are this share of it, 0 to 1, from the interval of its time. Relative errors of
/// transfers and of the rest count as independent, those of transfers as three times as wide. Without an
/// interval of the step there is none of its parts.
ExposedInterval exposed_interval(const Interval& step, double share);

/// How many times as wide as the rest's the relative errors of exposed communication are.
struct ExposedErrors {
  std::size_t runs = 0;
  double ratio = 1;  // of the highest likelihood
  double low = 1;    // where it is e^2 times less
  double high = 1;
};

/// By the errors of these runs' steps over their own intervals, as Laplace's distribution, each with its
/// vote; nothing below 60 runs that have an interval, which say too little.
std::optional<ExposedErrors> exposed_errors(const Validation& validation);

}  // namespace trainyard
