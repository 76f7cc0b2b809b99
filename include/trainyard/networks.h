// The three networks of a training cluster, as closed forms see them.
#pragma once

#include <cstdint>
#include <string_view>

#include "trainyard/units.h"

namespace trainyard {

/// From the innermost out.
enum class NetworkLevel : std::uint8_t { scale_up, scale_out, wide_area };

/// "scale_out"
constexpr std::string_view network_key(NetworkLevel level) {
  constexpr std::string_view kKeys[] = {"scale_up", "scale_out", "wide_area"};
  return kKeys[static_cast<std::size_t>(level)];
}

/// What a transfer over one network costs.
struct NetworkRate {
  BytesPerSecond rate;  // of one device, one direction
  Seconds delay;        // one way, tail loss included
};

/// The networks of a scenario.
struct Networks {
  NetworkRate scale_up;
  NetworkRate scale_out;
  NetworkRate wide_area;
  BytesPerSecond host;
};

/// delay + bytes / rate; nothing takes no time.
constexpr Seconds transfer_time(Bytes bytes, const NetworkRate& network) {
  return bytes.si() > 0 ? network.delay + bytes / network.rate : Seconds(0);
}

}  // namespace trainyard
