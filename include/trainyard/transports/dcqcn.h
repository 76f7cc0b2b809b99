// Parameters of DCQCN, the rates of roce (and, if asked, of irn). Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [dcqcn]
struct DcqcnInput {
  static constexpr bool kLossless = true;  // its links are paused before they lose a packet

  bool enabled = true;
  double gain = 1.0 / 256;
  Seconds notification_gap{50e-6};
  Seconds timer{55e-6};
  Bytes byte_counter{10e6};
  std::int64_t fast_recoveries = 5;
  double increase = 0.05;       // of the link rate
  double hyper_increase = 0.1;  // of the link rate
  double least_rate = 0.001;    // of the link rate

  template <class Field>
  static auto fields(const Field& field) {
    using D = DcqcnInput;
    return std::vector{
        field("enabled", &D::enabled, "Without it, rates stay at line rate and only pauses hold them back."),
        field("gain", &D::gain, share(), "Weight of a new sign of congestion (g).")
            .from("Zhu et al. 2015, section 5"),
        field("notification_gap", &D::notification_gap, within_run(),
              "Least time between two notifications (CNP).")
            .from("Zhu et al. 2015, section 3.1"),
        field("timer", &D::timer, within_run(), "Period of the rate's rise.")
            .from("Zhu et al. 2015, section 5"),
        field("byte_counter", &D::byte_counter, positive(), "Bytes after which the rate rises as well.")
            .from("Zhu et al. 2015, section 5"),
        field("fast_recoveries", &D::fast_recoveries, between(0, 1000),
              "Rises that halve the distance to the old rate (F).")
            .from("Zhu et al. 2015, section 3.1"),
        field("increase", &D::increase, share(), "Additive rise, of the link rate (R_AI).").from("uet-htsim"),
        field("hyper_increase", &D::hyper_increase, share(), "Later rises, of the link rate (R_HAI).")
            .from("uet-htsim"),
        field("least_rate", &D::least_rate, share(), "Of the link rate.")};
  }
};

}  // namespace trainyard
