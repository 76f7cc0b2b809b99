#include "network/packet/transports/credits.h"

#include <algorithm>
#include <vector>

#include "network/packet/transports/run_transport.h"

namespace trainyard::packet {

CreditSenders::CreditSenders(const TransportSetup& setup, CreditEnds& ends)
    : timeout_(setup.timeout),
      ends_(ends),
      turns_(setup.layout, ends.paths.bound_to_plane(), setup.seed),
      silences_(ends.forgets() ? setup.flows.size() : 0, timeout_) {
  for (std::uint32_t f = 0; !ends.messages.any() && f < setup.flows.size(); ++f)
    ends.senders[f].packets = ends.packets.count(f);
}

/// Credit that a packet asks for since the flow began, where so many `flows` of the host wait to send. Less
/// than what is granted where there is more credit than use for it.
std::uint32_t CreditSenders::wanted(const CreditSender& sender, std::uint32_t flows) const {
  const CreditRules& rules = ends_.rules;
  const std::size_t packets = sender.packets - sender.next;
  Credit more = credit_of(static_cast<std::uint32_t>(std::min<std::size_t>(packets, rules.window_packets))) -
                sender.credit;
  // A receiver that is asked for nothing gives nothing ahead.
  if (!rules.repeats_first && sender.speculates && sender.next < sender.packets)
    more = std::max(more, kCreditOfPacket);
  if (rules.shared_requests && flows > 1) {
    const auto sharing = static_cast<Credit>(flows);
    more = (more + (more > 0 ? sharing - 1 : 0)) / sharing;
  }
  return after(sender.granted, more);
}

std::uint32_t CreditSender::go_back() {
  const std::uint32_t first = acknowledged.first_missing();
  const std::uint32_t lost = next - std::min(next, first);
  next = first;
  return lost;
}

void CreditSenders::check_restored(Picoseconds now) const {
  ends_.check_senders();
  silences_.check_restored(now, [&](std::uint32_t flow) { return ends_.packets.count(flow); });
  const Credit most = credit_of(2 * ends_.rules.window_packets);
  for (std::uint32_t f = 0; f < ends_.senders.size(); ++f) {
    const CreditSender& sender = ends_.senders[f];
    keep_bounds(sender.sent.in_bounds(ends_.packets.count(f), now) && sender.credit > -kCreditOfPacket &&
                sender.credit <= most);
  }
  ends_.check_turns(turns_);
}

void Credits::check_restored(Picoseconds now) const {
  senders_.check_restored(now);
  ends_.messages.check_restored(
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.receivers[flow].received.has(sequence);
      },
      [&](std::uint32_t flow, std::uint32_t sequence) {
        return !ends_.senders[flow].acknowledged.has(sequence);
      });
  constexpr Credit kMostOwed = 1 << 28;
  for (std::uint32_t f = 0; f < ends_.receivers.size(); ++f) {
    const CreditReceiver& receiver = ends_.receivers[f];
    keep_bounds(receiver.latest < std::max(ends_.packets.count(f), 1U) && receiver.owed >= 0 &&
                receiver.owed < kMostOwed);
  }
  for (std::uint32_t h = 0; h < ends_.hosts.size(); ++h) {
    const auto receives = [&](std::uint32_t flow) { return ends_.receives(h, flow); };
    keep_all(ends_.hosts[h].repeating, receives);
    keep_all(ends_.hosts[h].active, receives);
    keep_all(ends_.hosts[h].resting, receives);
    keep_bounds(is_time(ends_.hosts[h].next_pull) && ends_.hosts[h].rate.in_bounds());
    ends_.check_timers(h, ends_.hosts[h].timeouts);
  }
}

RunOutcome run_credits(const TransportSetup& setup, Credits& transport, const WindowTick& tick) {
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

template RunOutcome run_transport(const TransportSetup&, Credits&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
