// The transports that packets are simulated with, and their parameters (transports/).
#pragma once

#define TRAINYARD_TRANSPORT(name, section, Record, sentence)
#include "trainyard/registries/transports.def"

namespace trainyard {

/// `ideal` sends no packets.
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) , name
enum class Transport {
  ideal
#include "trainyard/registries/transports.def"
};

/// [ndp], [homa], ... [fec]
struct TransportsInput {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) Record section;
#include "trainyard/registries/transports.def"
};

}  // namespace trainyard
