// The names of the ways to search.
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/search.h"

namespace trainyard {

template <>
struct Choices<SearchMethod> {
  static constexpr Choice<SearchMethod> kAll[] = {
      {SearchMethod::automatic, "auto",
       "exhaustive where the space is small enough (--space), else evolution"},
      {SearchMethod::exhaustive, "exhaustive", "every point is planned, or proven to be no better"},
      {SearchMethod::evolution, "evolution",
       "genetic algorithms and descents along the settings, on a sample of the points"}};
};

}  // namespace trainyard
