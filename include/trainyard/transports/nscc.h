// Parameters of nscc. Defaults are those of the named papers.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [nscc]
struct NsccInput {
  std::optional<Seconds> target_delay;  // auto: 3/4 of the longest round trip with trimming, else all of it
  double proportional_increase = 4;     // packets a round trip at no delay, at 100 Gbps and 12 us
  double fair_increase = 5;
  double steady_increase = 0.15;
  double fast_increase = 0.25;
  double decrease = 0.8;
  double largest_decrease = 0.5;
  double delay_gain = 0.0125;
  double largest_window = 1.5;  // of the bandwidth-delay product
  double quick_adapt_share = 0.125;
  std::optional<double> first_window;  // packets; auto: the largest
  bool probes = false;

  template <class Field>
  static auto fields(const Field& field) {
    using N = NsccInput;
    return std::vector{
        field("target_delay", &N::target_delay, within_run(), "Target of queueing.")
            .otherwise("3/4 of the longest round trip with trimming, else all of it (uet-htsim)"),
        field("proportional_increase", &N::proportional_increase, at_least(0),
              "Packets that a window grows by in a round trip without delay, in a network of 100 Gbps and 12 "
              "us.")
            .from("uet-htsim"),
        field("fair_increase", &N::fair_increase, at_least(0), "The same with delay but no mark.")
            .from("uet-htsim"),
        field("steady_increase", &N::steady_increase, at_least(0), "The same in every round trip (eta).")
            .from("uet-htsim"),
        field("fast_increase", &N::fast_increase, at_least(0),
              "Of the acknowledged bytes, when a whole window saw no queue.")
            .from("uet-htsim"),
        field("decrease", &N::decrease, share(), "For a share of delay above the target (gamma).")
            .from("uet-htsim"),
        field("largest_decrease", &N::largest_decrease, share(), "Most that a window loses at once.")
            .from("uet-htsim"),
        field("delay_gain", &N::delay_gain, share(), "Weight of a new delay.").from("uet-htsim"),
        field("largest_window", &N::largest_window, positive(), "Of the bandwidth-delay product.")
            .from("uet-htsim"),
        field("quick_adapt_share", &N::quick_adapt_share, between(0, 1),
              "A flow that got less than this share of the largest window is set to what it got.")
            .from("uet-htsim (qa_gate 3)"),
        field("first_window", &N::first_window, between(1, 1e6),
              "Packets that a flow sends before it hears anything.")
            .otherwise("the largest window")
            .silent_when_absent(),
        field("probes", &N::probes,
              "Whether a sender that has heard something, and then nothing, probes a way where switches cut "
              "packets: what was sent before a probe that comes back without delay is lost.")
            .from("uet-htsim (part of sleek)")
            .silent_when_absent()};
  }
};

}  // namespace trainyard
