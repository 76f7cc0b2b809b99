// [ownership] and [[phase]]: years of a site, bought in parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct SectionPlaces;  // trainyard/errors.h

/// [[phase]]: what is ordered at once.
struct PhaseInput {
  std::string name;
  std::string hb_domain;  // key of the catalog; empty: that of the facility
  std::int64_t devices = 0;
  Seconds order{0};                                  // after the beginning
  Seconds lead{180 * 86400.0};                       // until it is delivered
  Seconds install{30 * 86400.0};                     // until it trains
  std::optional<Usd> price;                          // of everything; empty: as [facility] prices it
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [ownership]
struct OwnershipInput {
  Seconds horizon{5 * 365 * 86400.0};
  Seconds life{5 * 365 * 86400.0};       // of devices in service
  Seconds write_off{5 * 365 * 86400.0};  // in equal parts
  double discount_rate = 0.08;           // a year
  double paid_at_order = 0.3;            // share; the rest when it is delivered
  double maintenance = 0.03;             // share of the price, a year in service
  Usd staff{0};                          // a year, from the first delivery on
  std::optional<double> ports;           // that are watched; empty: those of the first design, and the NICs
  std::int64_t counters = 64;            // of a port
  std::int64_t counter_bytes = 8;
  std::int64_t samples = 3;  // in a row, until an alarm
  Seconds processing{5};     // from a sample until it is judged
  Seconds retention{30 * 86400.0};
  std::vector<double> intervals_s = {1, 5, 10, 30, 60, 300};  // of samples, to compare
};

}  // namespace trainyard
