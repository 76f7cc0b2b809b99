// What limits a host besides its links: its software, or the bus between NIC and memory.
#pragma once

#include <cstdint>

#include "trainyard/picoseconds.h"

namespace trainyard::wiring {

/// A rate whose byte need not take whole picoseconds.
struct Pace {
  std::uint64_t picoseconds_per_kib = 0;  // 0: no limit

  bool limits() const { return picoseconds_per_kib > 0; }
  Picoseconds time(std::uint64_t bytes) const { return bytes * picoseconds_per_kib / kKib; }

  static constexpr std::uint64_t kKib = 1024;
};

/// Of every host, all its planes together.
struct HostLimits {
  Pace send;
  Pace receive;
  Picoseconds latency = 0;  // of the bus, each way; only together with both paces

  bool any() const { return send.limits() || receive.limits(); }
};

}  // namespace trainyard::wiring
