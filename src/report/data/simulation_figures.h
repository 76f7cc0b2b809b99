// What is derived from a packet simulation for its text, JSON and page: shares of links, series over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/packet_records.h"
#include "trainyard/units.h"

namespace trainyard {

struct SimulationResult;

/// The links above one tier, in one direction. Shares of what they could have carried until the end.
struct LinkShare {
  std::string tier;  // below the links: hosts, leaf, aggregation, tier 3, ...; else what the links are
  std::string_view direction;  // up, down; both of links between alike switches
  Bytes bytes;
  double mean = 0;
  double busiest = 0;

  std::string name() const { return direction == "both" ? tier : tier + " " + std::string(direction); }
};

/// In the order in which packets meet them.
std::vector<LinkShare> link_shares(const SimulationResult& result);

struct TimedBytes {
  Seconds time;
  Bytes bytes;
};

/// The longest queue from each moment until the next, at most `most` of them.
std::vector<TimedBytes> queue_over_time(const SimulationResult& result, std::size_t most);
/// Bytes of data that had reached hosts, from zero on; headers and repeats included.
std::vector<TimedBytes> delivered_over_time(const SimulationResult& result, std::size_t most);

/// What a probe has seen of a port, until its last sample.
struct SeriesSummary {
  std::string name;
  std::size_t samples = 0;
  Bytes mean_queue;     // at the samples but the first
  Bytes longest_queue;  // of data, between samples as well
  Bytes sent;
  double use = 0;  // of the time
  std::uint64_t marks = 0;
  std::uint64_t trims = 0;
  std::uint64_t drops = 0;
  std::uint64_t lost = 0;
};

SeriesSummary summary_of(const packet::ProbeSeries& series);

/// What never arrived, where nothing is sent again.
struct Missing {
  Bytes bytes;
  Bytes sent;             // of all flows
  std::size_t flows = 0;  // that lack any
};
Missing missing_of(const SimulationResult& result);

/// Numbers of the flows that did not finish.
std::vector<std::size_t> unfinished_flows(const SimulationResult& result);

/// "1,024 flows on two-tiers: 1,024 hosts at 100 Gbps".
std::string simulation_subject(const SimulationResult& result);

}  // namespace trainyard
