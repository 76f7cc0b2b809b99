// Parameters of the transports that packets are simulated with. Defaults are those of the named papers;
// ranges, sentences and sources of the fields stand in src/scenario/transport_fields.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/units.h"

namespace trainyard {

struct NdpInput {
  double pull_rate = 1;  // share of the receiver's link
};

struct EqdsInput {
  double credit_rate = 0.99;          // share of the receiver's link
  std::int64_t credits_per_pull = 1;  // packets
};

struct RcccInput {
  double credit_rate = 0.99;
  std::int64_t credits_per_pull = 4;
};

struct HomaInput {
  std::optional<Bytes> unscheduled;  // auto: a round trip at line rate
  std::int64_t overcommitment = 7;
  std::int64_t unscheduled_priorities = 1;
  double grant_window = 1;  // round trips of granted bytes outstanding
};

struct DctcpInput {
  double gain = 1.0 / 16;
  double initial_share = 1;
  double slow_start_packets = 1e9;
};

struct SwiftInput {
  Seconds base_target{20e-6};
  Seconds hop_target{3.053e-6};
  Seconds flow_range{100e-6};
  double flow_window_low = 0.1;
  double flow_window_high = 100;
  double increase = 1;
  double beta = 0.8;
  double largest_decrease = 0.5;
};

struct HpccInput {
  double utilization = 0.95;
  std::int64_t stages = 5;
  std::optional<Bytes> increase;  // auto: W (1 - eta) / flows_expected
  std::int64_t flows_expected = 10;
  std::optional<Seconds> base_rtt;  // auto: the longest of the network
};

struct DcqcnInput {
  bool enabled = true;
  double gain = 1.0 / 256;
  Seconds notification_gap{50e-6};
  Seconds timer{55e-6};
  Bytes byte_counter{10e6};
  std::int64_t fast_recoveries = 5;
  double increase = 0.05;       // of the link rate
  double hyper_increase = 0.1;  // of the link rate
  double least_rate = 0.001;    // of the link rate
};

struct NsccInput {
  std::optional<Seconds> target_delay;  // auto: 3/4 of the base round trip with trimming, else all of it
  double proportional_increase = 4;     // packets a round trip at no delay, at 100 Gbps and 12 us
  double fair_increase = 5;
  double steady_increase = 0.15;
  double fast_increase = 0.25;
  double decrease = 0.8;
  double largest_decrease = 0.5;
  double delay_gain = 0.0125;
  double largest_window = 1.5;  // of the bandwidth-delay product
  double quick_adapt_share = 0.125;
};

struct SmarttInput {
  double target = 1.5;  // of the base round trip
  double fair_increase = 0.25;
  double proportional_increase = 2;
  double fair_decrease = 0.8;
  double multiplicative_decrease = 2;
  double quick_adapt_gain = 0.8;
};

struct CubicInput {
  double c = 0.4;
  double beta = 0.7;
};

struct BbrInput {
  double startup_gain = 2.885;
  double window_gain = 2;
  Seconds rtt_window{10};
  Seconds probe_rtt{200e-3};
};

struct IrnInput {
  bool dcqcn = false;
};

struct ScheduledInput {
  double utilization = 0.95;    // of every link that the controller gives away
  std::int64_t most_flows = 0;  // admitted to a link at one time; 0: all
};

struct FecInput {
  std::int64_t data = 20;   // packets of a block
  std::int64_t parity = 1;  // packets beside them
};

/// [ndp], [homa], ... [fec]
struct TransportsInput {
  NdpInput ndp;
  EqdsInput eqds;
  RcccInput rccc;
  HomaInput homa;
  DctcpInput dctcp;
  SwiftInput swift;
  HpccInput hpcc;
  DcqcnInput dcqcn;
  NsccInput nscc;
  SmarttInput smartt;
  CubicInput cubic;
  BbrInput bbr;
  IrnInput irn;
  ScheduledInput scheduled;
  FecInput fec;
};

}  // namespace trainyard
