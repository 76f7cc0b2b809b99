#include "network/packet/ndp.h"

#include <algorithm>
#include <numeric>

namespace trainyard::packet {
namespace {

/// A whole number below `limit` from a hash, without division.
std::uint32_t below(std::uint64_t hash, std::uint32_t limit) {
  return static_cast<std::uint32_t>(((hash >> 32U) * limit) >> 32U);
}

}  // namespace

Ndp::Ndp(const Layout& layout, const LinkRules& links, const NdpRules& rules, std::vector<Flow>& flows)
    : layout_(layout),
      rules_(rules),
      pull_gap_(links.time(rules.packet_bytes)),
      flows_(flows),
      senders_(flows.size()),
      receivers_(flows.size()),
      hosts_(layout.leaf_of_host.size()) {
  for (std::uint32_t step = 1; step <= layout.uplinks_leaf; ++step) {
    if (std::gcd(step, layout.uplinks_leaf) == 1) steps_.push_back(static_cast<std::uint16_t>(step));
  }
  for (std::size_t f = 0; f < flows.size(); ++f) {
    Sender& sender = senders_[f];
    sender.packets =
        static_cast<std::uint32_t>((flows[f].bytes + rules.packet_bytes - 1) / rules.packet_bytes);
    sender.acknowledged.resize(sender.packets);
    receivers_[f].received.resize(sender.packets);
    receivers_[f].allowed = sender.packets - std::min(sender.packets, rules.window_packets);
  }
}

std::size_t Ndp::bytes() const {
  std::size_t sum = senders_.capacity() * sizeof(Sender) + receivers_.capacity() * sizeof(Receiver) +
                    hosts_.capacity() * sizeof(Host);
  for (const Sender& sender : senders_) sum += sender.acknowledged.bytes() + sender.repeats.capacity() * 4;
  for (const Receiver& receiver : receivers_) sum += receiver.received.bytes();
  return sum;
}

/// The last packet of a flow carries what is left.
std::uint32_t Ndp::size_of(const Flow& flow, std::uint32_t sequence) const {
  const std::uint64_t sent = std::uint64_t{sequence} * rules_.packet_bytes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rules_.packet_bytes, flow.bytes - sent));
}

Packet Ndp::addressed(std::uint32_t flow, std::uint32_t to, PacketKind kind, std::uint32_t sequence,
                      Spray& spray) const {
  Packet packet;
  packet.flow = flow;
  packet.sequence = sequence;
  packet.kind = kind;
  packet.bytes = rules_.control_bytes;
  packet.to_leaf = layout_.leaf_of_host[to];
  packet.to_host = layout_.index_of_host[to];
  choose_path(flow, to == flows_[flow].from, packet, spray);
  return packet;
}

void Ndp::choose_path(std::uint32_t flow, bool back, Packet& packet, Spray& spray) const {
  if (layout_.uplinks_leaf == 0) return;
  const std::uint64_t way = mixed((std::uint64_t{flow} << 1U) | (back ? 1U : 0U));
  if (!rules_.spray) {
    packet.up_leaf = static_cast<std::uint16_t>(below(way, layout_.uplinks_leaf));
    if (layout_.uplinks_aggregation > 0)
      packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(way), layout_.uplinks_aggregation));
    return;
  }
  if (spray.left == 0) {
    const std::uint64_t random = mixed(way ^ (std::uint64_t{spray.round++} << 40U));
    spray.next = static_cast<std::uint16_t>(below(random, layout_.uplinks_leaf));
    spray.step = steps_[below(mixed(random), static_cast<std::uint32_t>(steps_.size()))];
    spray.left = static_cast<std::uint16_t>(layout_.uplinks_leaf);
  }
  packet.up_leaf = spray.next;
  --spray.left;
  const std::uint32_t next = std::uint32_t{spray.next} + spray.step;
  spray.next = static_cast<std::uint16_t>(next < layout_.uplinks_leaf ? next : next - layout_.uplinks_leaf);
  if (layout_.uplinks_aggregation > 0) {
    const std::uint64_t salt = way ^ ((std::uint64_t{spray.round} << 16U) | spray.left);
    packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(salt), layout_.uplinks_aggregation));
  }
}

}  // namespace trainyard::packet
