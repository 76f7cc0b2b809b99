// A packet simulation that tests of several surfaces show.
#pragma once

#include <limits>

#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {

constexpr Picoseconds kMicrosecond = 1'000'000;

inline Scenario small_scenario() { return ScenarioText::load("ndp-permutation").resolve(); }

/// Two flows of 4 hosts at 8 Gbps, that is 1 byte a nanosecond, for 10 us; the second never finishes.
inline SimulationResult small_result() {
  SimulationResult r;
  r.design = "two-tiers";
  r.hosts = 4;
  r.link_rate = BitRate(8e9);
  workload::Flow done{.from = 0, .to = 2, .bytes = 5000};
  done.began = kMicrosecond;
  done.received = 8 * kMicrosecond;
  done.finished = 9 * kMicrosecond;
  workload::Flow stuck{.from = 1, .to = 3, .bytes = 9000};
  stuck.began = 0;
  r.flows = {done, stuck};
  r.slowdowns = {1.25, std::numeric_limits<double>::quiet_NaN()};
  r.counters.finished = 1;
  r.counters.hops = 40;
  r.counters.events = 2;
  r.counters.marks = 7;
  r.counters.pauses = 3;
  r.counters.paused = 5 * kMicrosecond;
  r.counters.blocked = 2 * kMicrosecond;
  r.counters.longest_queue = 8192;
  r.end = Seconds(10e-6);
  r.up = {{.bytes = 20'000, .ports = 4, .most_bytes = 9000, .picoseconds_per_byte = 1000},
          {.bytes = 8000, .ports = 2, .most_bytes = 8000, .picoseconds_per_byte = 1000}};
  r.down = r.up;
  r.moments = {{Seconds(0), Bytes(100), Bytes(1000)},
               {Seconds(2e-6), Bytes(8192), Bytes(3000)},
               {Seconds(6e-6), Bytes(50), Bytes(5000)}};
  r.mean = r.median = r.p99 = r.longest = Seconds(8e-6);
  r.ideal = Seconds(4e-6);
  r.mean_slowdown = r.median_slowdown = r.p99_slowdown = r.largest_slowdown = 1.25;
  return r;
}

}  // namespace trainyard
