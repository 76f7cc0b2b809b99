// The fluid lower bound: no packets, no queues; flows share the hosts' links max-min fairly.
#pragma once

#include <vector>

#include "network/packet/flows.h"
#include "network/packet/host_limits.h"
#include "network/packet/layout.h"

namespace trainyard::packet {

/// Rates of flows between hosts that send and receive that much at most; `from`, `to` by flow. Max-min fair.
std::vector<double> fair_rates(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to,
                               std::uint32_t hosts, double send_capacity, double receive_capacity);

/// Sets when each flow begins and ends: the network in the middle never limits, the links of all planes
/// together carry a host's bytes unless the host has limits of its own, and rates are max-min fair at every
/// moment (water-filling, Bertsekas & Gallager 1992, section 6.5.2). A flow ends `latency` after its last bit
/// was sent; those that wait for it begin then.
class FluidSchedule {
 public:
  FluidSchedule(const Layout& layout, const HostLimits& limits, std::vector<Flow>& flows,
                const std::vector<Dependency>& dependencies, const std::vector<Picoseconds>& latency);
  void run();

 private:
  void begin_due(Picoseconds now);
  Picoseconds next_start() const;
  void end(std::uint32_t flow, Picoseconds now);

  std::vector<Flow>& flows_;
  const std::vector<Picoseconds>& latency_;
  std::uint32_t hosts_;
  double send_capacity_;  // of a host, bytes a picosecond
  double receive_capacity_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::uint32_t> conditions_;
  std::vector<Picoseconds> ready_at_;
  std::vector<std::pair<Picoseconds, std::uint32_t>> starts_;  // a heap
  std::vector<std::uint32_t> active_;
  std::vector<double> left_;  // bytes, by flow
};

}  // namespace trainyard::packet
