// The topologies of [[design]] by name.
#pragma once

namespace trainyard {

/// How the switches and links of one network are joined. The first is that of a design that names none.
enum class TopologyKind {
#define TRAINYARD_TOPOLOGY(name, ...) name,
#include "trainyard/registries/topologies.def"
};

}  // namespace trainyard
