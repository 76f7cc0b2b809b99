// The names of the enumerations of the transports.
#pragma once

#include "base/choices.h"
#include "trainyard/transports.h"

namespace trainyard {

template <>
struct Choices<Transport> {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) {Transport::name, #name, sentence},
  static constexpr Choice<Transport> kAll[] = {
      {Transport::ideal, "ideal",
       "no packets: flows share the hosts' links max-min fairly, the network never limits"},
#include "trainyard/registries/transports.def"
  };
};

}  // namespace trainyard
