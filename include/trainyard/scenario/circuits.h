// [circuits]: rails of optical circuit switches that are set anew while a step runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// When circuits change.
enum class CircuitChange { never, phases, transfers };

/// How an all-to-all whose peers are more than a device's ports goes over circuits.
enum class CircuitAllToAll { best, rotate, forward };

/// [circuits]
struct CircuitsInput {
  std::string circuit_switch = "calient-s320";  // key of the catalog
  std::int64_t ports = 2;                       // of a device, over which its rate is divided
  CircuitChange reconfigure = CircuitChange::phases;
  std::optional<Seconds> reconfiguration_time;  // in place of the switch's
  Seconds control_delay{0};                     // until the switch has the command
  bool ahead = true;                            // the controller knows what comes next
  CircuitAllToAll all_to_all = CircuitAllToAll::best;
  std::optional<BitRate> electrical_rate;  // of a device on a network beside the circuits
  Bytes electrical_below{1e6};             // transfers that go there
  std::optional<std::string> transceiver;  // key of the catalog
  std::int64_t spare_ports = 0;            // of every circuit switch, kept free
};

}  // namespace trainyard
