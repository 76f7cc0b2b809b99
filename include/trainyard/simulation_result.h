// What a simulation finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/flow.h"
#include "trainyard/packet_records.h"
#include "trainyard/units.h"

namespace trainyard {

/// What a window of simulated time ended with; windows are merged so that a run has at most some thousand.
struct SimulationMoment {
  Seconds begin;
  Bytes longest_queue;  // of data at one port
  Bytes delivered;      // since the start
};

/// What a run finds, with the completion times of its flows.
struct SimulationResult {
  bool packets = true;  // else rates of flows: there are no counters but `finished`, queues, moments, traces
  std::string design;
  std::int64_t hosts = 0;  // of the network
  std::int64_t planes = 1;
  BitRate link_rate;
  std::int64_t link_count = 0;  // from a host to the farthest
  std::vector<workload::Flow> flows;
  /// Of each flow, where what is lost is not sent again (Delivery::uud): bytes that never arrived. Such a
  /// flow ends with the last byte that did; one of which nothing arrived, when all of it was sent. Else
  /// empty.
  std::vector<std::uint64_t> lost_bytes;
  packet::Counters counters;
  Seconds end;            // of simulated time
  std::size_t bytes = 0;  // that engine and transport held at the end
  std::vector<SimulationMoment> moments;
  std::vector<packet::LinkUse> up;  // from the hosts, then from each tier up
  std::vector<packet::LinkUse> down;
  /// Of networks that are no trees of three tiers at most: what the links of `up` and `down` are. Else empty.
  std::vector<std::string> link_names;
  std::vector<packet::ProbeSeries> series;  // of the scenario's probes
  std::vector<packet::TraceEntry> trace;
  std::vector<std::string> trace_nodes;  // their names, by number

  // Completion times: from a flow's start until its sender knows that all has arrived.
  Seconds mean;
  Seconds median;
  std::vector<Seconds> quantiles;  // at 0%, 5%, ... 100%
  Seconds p99;
  Seconds longest;
  Seconds ideal;             // of the largest flow alone on the longest path
  double mean_slowdown = 1;  // over each flow's own ideal
  double median_slowdown = 1;
  double p99_slowdown = 1;
  double largest_slowdown = 1;
  std::vector<double> slowdowns;  // of each flow; NaN: not finished

  std::vector<std::string> warnings;  // idle_warnings() of the scenario's text, by who has it
};

}  // namespace trainyard
