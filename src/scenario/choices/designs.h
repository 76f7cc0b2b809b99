// The names of the enumerations of network designs.
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/topology_kind.h"

namespace trainyard {

template <>
struct Choices<TopologyKind> {
  static constexpr Choice<TopologyKind> kAll[] = {
#define TRAINYARD_TOPOLOGY(name, text, sentence, keys) {TopologyKind::name, text, sentence},
#include "trainyard/registries/topologies.def"
  };
};

}  // namespace trainyard
