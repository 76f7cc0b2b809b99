// The names of the enumerations of [circuits].
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/circuits.h"

namespace trainyard {

template <>
struct Choices<CircuitChange> {
  static constexpr Choice<CircuitChange> kAll[] = {
      {CircuitChange::never, "never", "set for the job: ports are divided among all neighbours"},
      {CircuitChange::phases, "phases", "for each kind of parallelism, with all of its neighbours"},
      {CircuitChange::transfers, "transfers", "for every transfer: pipelines meet one neighbour at a time"}};
};

template <>
struct Choices<CircuitAllToAll> {
  static constexpr Choice<CircuitAllToAll> kAll[] = {
      {CircuitAllToAll::best, "best", "the quicker of both"},
      {CircuitAllToAll::rotate, "rotate", "peers take turns, in matchings that change"},
      {CircuitAllToAll::forward, "forward", "hosts of a ring pass on what is for others"}};
};

}  // namespace trainyard
