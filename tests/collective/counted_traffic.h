// A traffic matrix counted pair by pair, beside its summary.
#pragma once

#include <cstdint>

#include "trainyard/traffic.h"

namespace trainyard {

struct CountedTraffic {
  double pairs = 0;   // that talk
  double silent = 0;  // of two devices
  double bytes = 0;
  double pairs_inside = 0;  // of those that talk: in one HB domain
  double bytes_inside = 0;
};

inline CountedTraffic count_traffic(const TrafficMatrix& matrix) {
  CountedTraffic out;
  for (std::int64_t from = 0; from < matrix.devices; ++from) {
    for (std::int64_t to = 0; to < matrix.devices; ++to) {
      const double bytes = matrix.between(from, to).si();
      const bool inside = from / matrix.domain_devices == to / matrix.domain_devices;
      out.pairs += bytes > 0 ? 1 : 0;
      out.silent += from != to && bytes == 0 ? 1 : 0;
      out.bytes += bytes;
      out.pairs_inside += inside && bytes > 0 ? 1 : 0;
      out.bytes_inside += inside ? bytes : 0;
    }
  }
  return out;
}

}  // namespace trainyard
