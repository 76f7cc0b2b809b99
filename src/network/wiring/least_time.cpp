#include "network/wiring/least_time.h"

#include <algorithm>
#include <optional>

#include "network/wiring/host_limits.h"
#include "network/wiring/layout.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::wiring {
namespace {

/// Of links that hold packets.
ByteTime fastest_byte(const Layout& layout, const Reach& reach) {
  std::optional<ByteTime> out;
  layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t) {
    if (!link.passes_through)
      out = std::min(out.value_or(link.picoseconds_per_byte), link.picoseconds_per_byte);
  });
  return out.value_or(ByteTime(0));
}

}  // namespace

Picoseconds least_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                       std::uint64_t bytes, Reach reach) {
  const auto payload = static_cast<std::uint64_t>(input.packet.si());
  const auto header = static_cast<std::uint64_t>(input.header.si());
  const auto control = static_cast<std::uint64_t>(input.control_packet.si());
  const std::uint64_t full = payload + header;
  const std::uint64_t packets = (bytes + payload - 1) / payload;
  const std::uint64_t last = bytes == 0 ? 0 : (bytes - 1) % payload + 1 + header;
  const std::uint64_t before = packets == 0 ? 0 : packets - 1;
  // With a round of the planes begun, a full packet leaves beside the last one.
  const std::uint64_t rounds = before / layout.planes;
  const std::uint64_t first_link = rounds * full + (before % layout.planes != 0 ? full : last);
  const ByteTime fastest = fastest_byte(layout, reach);
  const auto on_the_way = [&](ByteTime byte) {
    return input.cut_through && byte <= fastest ? std::min(last, control) : last;
  };
  ByteTime slowest = 0;
  Picoseconds sum = 0;
  Picoseconds by_links_abreast = 0;
  layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t count) {
    const bool many = reach.abreast > 1 && &link != &layout.links.front();
    if (link.passes_through) {
      sum += 2 * link.delay;
      slowest = std::max(slowest, link.picoseconds_per_byte);
      return;
    }
    if (!many) slowest = std::max(slowest, link.picoseconds_per_byte);
    if (many) by_links_abreast = before / (std::uint64_t{layout.planes} * reach.abreast) * link.time(full);
    sum += count * (link.time(on_the_way(link.picoseconds_per_byte)) + link.time(control) + 2 * link.delay);
  });
  const Picoseconds in_hosts = 4 * limits.latency + limits.receive.time(last) + limits.receive.time(control);
  // Of the last packet one time too many: that on the slowest link is part of first_link.
  const Picoseconds by_links = first_link * slowest - std::min(sum, on_the_way(slowest) * slowest);
  const Picoseconds by_hosts = before * std::max(limits.send.time(full), limits.receive.time(full));
  return sum + in_hosts + std::max({by_links, by_links_abreast, by_hosts});
}

Picoseconds answer_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                        Reach reach) {
  const auto control = static_cast<std::uint64_t>(input.control_packet.si());
  Picoseconds sum = 2 * limits.latency + limits.receive.time(control);
  layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t count) {
    sum += count * (link.time_on_way(control) + link.delay);
  });
  return sum;
}

}  // namespace trainyard::wiring
