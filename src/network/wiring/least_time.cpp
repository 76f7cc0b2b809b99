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

/// What is sent of a flow: packets before the last one, and that one.
struct Sent {
  std::uint64_t before = 0;
  std::uint64_t full = 0;      // bytes of each
  std::uint64_t last = 0;      // bytes
  std::uint64_t control = 0;   // bytes of an acknowledgement, and of a header
  std::uint64_t on_plane = 0;  // bytes, of the plane with the most
};

/// Packets that are dealt to the planes one by one: with a round begun, a full one leaves beside the last.
Sent dealt(std::uint64_t before, std::uint64_t full, std::uint64_t last, std::uint64_t control,
           std::uint64_t planes) {
  return {before, full, last, control, before / planes * full + (before % planes != 0 ? full : last)};
}

/// A flow that is cut over connections: it ends with the shortest of their last packets, and those before it
/// are of a mean length.
Sent cut(std::uint64_t bytes, std::uint64_t connections, std::uint64_t payload, std::uint64_t header,
         std::uint64_t control, std::uint64_t planes) {
  const std::uint64_t least = bytes / connections;
  const std::uint64_t longer = bytes % connections;  // have a byte more
  const auto packets = [&](std::uint64_t part) { return (part + payload - 1) / payload; };
  const auto last_of = [&](std::uint64_t part) { return (part - 1) % payload + 1 + header; };
  const std::uint64_t count = longer * packets(least + 1) + (connections - longer) * packets(least);
  const std::uint64_t last = longer > 0 ? std::min(last_of(least), last_of(least + 1)) : last_of(least);
  const std::uint64_t sent = bytes + count * header;
  return {count - 1, (sent - last) / (count - 1), last, control,
          std::max(last, (sent + planes - 1) / planes)};
}

/// What the last packet takes over the links of a folded Clos network, whose switches send on at the header
/// unless the next link may be faster.
Picoseconds cut_through_clos(const Layout& layout, const Reach& reach, const Sent& sent) {
  const auto byte = [&](std::size_t tier) { return layout.links[tier].picoseconds_per_byte; };
  const std::uint64_t header = std::min(sent.last, sent.control);
  Picoseconds sum = 0;
  for (std::size_t t = 0; t <= reach.links / 2; ++t) {
    const bool up = t + 1 == layout.tiers || byte(t) <= byte(t + 1);
    const bool down = t > 0 && byte(t) <= byte(t - 1);
    sum += layout.links[t].time(up ? header : sent.last) + layout.links[t].time(down ? header : sent.last);
  }
  return sum;
}

Picoseconds least_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                       const Sent& sent, Reach reach) {
  const bool through_clos = input.cut_through && layout.routes.empty() && layout.devices.empty();
  const ByteTime fastest = fastest_byte(layout, reach);
  const auto on_the_way = [&](ByteTime byte) {
    return input.cut_through && byte <= fastest ? std::min(sent.last, sent.control) : sent.last;
  };
  ByteTime slowest = 0;
  Picoseconds sum = through_clos ? cut_through_clos(layout, reach, sent) : 0;
  Picoseconds by_links_abreast = 0;
  layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t count) {
    const bool many = reach.abreast > 1 && &link != &layout.links.front();
    if (link.passes_through) {
      sum += 2 * link.delay;
      slowest = std::max(slowest, link.picoseconds_per_byte);
      return;
    }
    if (!many) slowest = std::max(slowest, link.picoseconds_per_byte);
    if (many)
      by_links_abreast = sent.before / (std::uint64_t{layout.planes} * reach.abreast) * link.time(sent.full);
    if (!through_clos) sum += count * link.time(on_the_way(link.picoseconds_per_byte));
    sum += count * (link.time(sent.control) + 2 * link.delay);
  });
  const Picoseconds in_hosts =
      4 * limits.latency + limits.receive.time(sent.last) + limits.receive.time(sent.control);
  // Of the last packet one time too many: that on the slowest link is part of what its plane carries.
  const std::uint64_t counted = through_clos ? sent.last : on_the_way(slowest);
  const Picoseconds by_links = sent.on_plane * slowest - std::min(sum, counted * slowest);
  const Picoseconds by_hosts =
      sent.before * std::max(limits.send.time(sent.full), limits.receive.time(sent.full));
  return sum + in_hosts + std::max({by_links, by_links_abreast, by_hosts});
}

/// How long after a full packet a short one arrives that stays behind it: by the link into the host, or by
/// the one before, where that is slower.
Picoseconds behind_full(const Layout& layout, const Reach& reach, std::uint64_t full, std::uint64_t last) {
  const LinkRules& of_host = layout.links.front();
  const Picoseconds by_host = of_host.time(last);
  Picoseconds before = kNever;
  layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t) {
    if (&link != &of_host) before = std::min(before, link.time(last));
  });
  const Picoseconds catches_up = of_host.time(full) - by_host;
  return before == kNever ? by_host : std::max(by_host, before - std::min(before, catches_up));
}

}  // namespace

Picoseconds least_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                       std::uint64_t bytes, Reach reach) {
  const auto payload = static_cast<std::uint64_t>(input.packet.si());
  const auto header = static_cast<std::uint64_t>(input.header.si());
  const auto control = static_cast<std::uint64_t>(input.control_packet.si());
  const std::uint64_t full = payload + header;
  const auto connections = static_cast<std::uint64_t>(input.connections_per_flow.value_or(1));
  const std::uint64_t parts = input.transport == Transport::ideal ? 1 : std::min(connections, bytes);
  if (parts > 1) {
    const auto least = [&](const Sent& sent) { return least_time(input, layout, limits, sent, reach); };
    const Picoseconds of_all = least(cut(bytes, parts, payload, header, control, layout.planes));
    const std::uint64_t longer = bytes % parts;
    const std::uint64_t full_ones =
        longer * ((bytes / parts + 1) / payload) + (parts - longer) * (bytes / parts / payload);
    if (full_ones == 0) return of_all;
    return std::max(of_all, least(dealt(full_ones - 1, full, full, control, layout.planes)));
  }
  const std::uint64_t packets = (bytes + payload - 1) / payload;
  const std::uint64_t last = bytes == 0 ? 0 : (bytes - 1) % payload + 1 + header;
  const std::uint64_t before = packets == 0 ? 0 : packets - 1;
  const Picoseconds alone =
      least_time(input, layout, limits, dealt(before, full, last, control, layout.planes), reach);
  const bool one_path =
      !layout.routes.empty() && layout.devices.empty() && layout.planes == 1 && reach.abreast == 1;
  if (!one_path || before == 0 || last == full) return alone;
  // A short last packet stays behind the full one before it.
  const Picoseconds of_full =
      least_time(input, layout, limits, dealt(before - 1, full, full, control, layout.planes), reach);
  return std::max(alone, of_full + behind_full(layout, reach, full, last));
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
