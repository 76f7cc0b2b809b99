// Credit as its receivers hand it out: in turn over the flows of a host, first to those that have packets to
// repeat; where none wants any, to all that have begun, up to a window ahead of what they asked for: more may
// come of a connection whose messages have arrived.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/transports/credit_rate.h"
#include "network/packet/transports/credit_records.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class CreditGrants {
 public:
  CreditGrants(const TransportSetup& setup, CreditEnds& ends)
      : credit_time_(setup.credit_gap(ends.rules.rate)), ends_(ends) {}

  /// A flow's sender has said that it could use so much credit since the flow began.
  template <class Context>
  void take_target(Context& context, std::uint32_t flow, std::uint32_t target);
  /// It has asked by itself.
  template <class Context>
  void take_request(Context& context, const CreditPacket& packet);
  /// A packet has to be repeated, by credit of its own.
  template <class Context>
  void owe(Context& context, std::uint32_t flow);
  /// What has arrived, whole or cut, says how fast credit may go out.
  template <class Context>
  void took_whole(Context& context, const CreditPacket& packet);
  template <class Context>
  void took_cut(Context& context, const CreditPacket& packet);
  /// One pull, if it is time.
  template <class Context>
  void wake(Context& context);

 private:
  template <class Context>
  void want(Context& context, std::uint32_t flow);
  template <class Context>
  void rest(Context& context, std::uint32_t flow);
  template <class Context>
  void grant(Context& context, CreditHost& host);
  template <class Context>
  void grant_ahead(Context& context, CreditHost& host);
  template <class Context>
  void pull(Context& context, std::uint32_t flow, Credit credit);
  bool slows() const { return ends_.rules.slowing.least < 1; }
  template <class Context>
  CreditRate& decided_rate(Context& context) {
    CreditRate& rate = ends_.hosts[context.host()].rate;
    rate.decide(context.now(), context.host(), ends_.rules.slowing);
    return rate;
  }
  /// From a pull of so much to the next.
  Picoseconds gap(Credit credit, std::uint32_t host) const {
    constexpr Picoseconds kParts = kCreditOfPacket;
    const Picoseconds whole = static_cast<Picoseconds>(credit) * credit_time_.of(host) / kParts;
    return slows() ? whole_duration(static_cast<double>(whole) / ends_.hosts[host].rate.share()) : whole;
  }

  CreditGap credit_time_;  // of one packet
  CreditEnds& ends_;
};

template <class Context>
void CreditGrants::take_target(Context& context, std::uint32_t flow, std::uint32_t target) {
  CreditReceiver& receiver = ends_.receivers[flow];
  receiver.ask_for(target);
  want(context, flow);
  rest(context, flow);
}

template <class Context>
void CreditGrants::take_request(Context& context, const CreditPacket& packet) {
  CreditReceiver& receiver = ends_.receivers[packet.flow];
  // What is asked for again is partly owed already.
  receiver.ask_for(after(packet.target, -receiver.owed));
  want(context, packet.flow);
  if (receiver.waits) return;
  receiver.owed = kCreditOfPacket;  // pulls may have been lost: one more says their sum
  want(context, packet.flow);
}

template <class Context>
void CreditGrants::owe(Context& context, std::uint32_t flow) {
  ends_.receivers[flow].owed += kCreditOfPacket;
  want(context, flow);
}

template <class Context>
void CreditGrants::took_whole(Context& context, const CreditPacket& packet) {
  if (slows()) decided_rate(context).arrived(packet.congested());
}

template <class Context>
void CreditGrants::took_cut(Context& context, const CreditPacket& packet) {
  if (!slows()) return;
  CreditRate& rate = decided_rate(context);
  (packet.marks & CreditPacket::kCutAtEnd) != 0 ? rate.cut_at_the_end() : rate.cut_inside();
}

template <class Context>
void CreditGrants::wake(Context& context) {
  CreditHost& host = ends_.hosts[context.host()];
  if (host.next_pull <= context.now()) grant(context, host);
}

/// Puts a flow that wants credit into the pacer's lists.
template <class Context>
void CreditGrants::want(Context& context, std::uint32_t flow) {
  CreditReceiver& receiver = ends_.receivers[flow];
  if (receiver.waits || receiver.wanted() == 0) return;
  receiver.waits = true;
  CreditHost& host = ends_.hosts[context.host()];
  (receiver.owed > 0 && ends_.rules.repeats_first ? host.repeating : host.active).push_back(flow);
  ends_.plan_wake(context);
}

/// Puts a flow that wants no credit into the list of those that are given some ahead.
template <class Context>
void CreditGrants::rest(Context& context, std::uint32_t flow) {
  CreditReceiver& receiver = ends_.receivers[flow];
  if (receiver.waits || receiver.rests) return;
  if (credit_between(receiver.target, receiver.granted) >= credit_of(ends_.rules.window_packets)) return;
  receiver.rests = true;
  ends_.hosts[context.host()].resting.push_back(flow);
  ends_.plan_wake(context);
}

/// One pull, to the next flow of the first list that is not empty.
template <class Context>
void CreditGrants::grant(Context& context, CreditHost& host) {
  Fifo<std::uint32_t>& flows = host.repeating.empty() ? host.active : host.repeating;
  if (flows.empty()) return grant_ahead(context, host);
  const std::uint32_t flow = flows.front();
  flows.pop_front();
  CreditReceiver& receiver = ends_.receivers[flow];
  const Credit credit = std::min(credit_of(ends_.rules.packets_per_pull), receiver.wanted());
  const Credit owed = std::min(receiver.owed, credit);
  receiver.owed -= owed;
  receiver.target = after(receiver.target, owed);  // what is repeated was not part of it
  receiver.waits = false;
  pull(context, flow, credit);
  want(context, flow);
  rest(context, flow);
}

/// One pull, to the next flow of those that do not want any.
template <class Context>
void CreditGrants::grant_ahead(Context& context, CreditHost& host) {
  while (!host.resting.empty()) {
    const std::uint32_t flow = host.resting.front();
    host.resting.pop_front();
    CreditReceiver& receiver = ends_.receivers[flow];
    receiver.rests = false;
    if (receiver.waits) continue;
    pull(context, flow, credit_of(ends_.rules.packets_per_pull));
    return rest(context, flow);
  }
}

template <class Context>
void CreditGrants::pull(Context& context, std::uint32_t flow, Credit credit) {
  CreditReceiver& receiver = ends_.receivers[flow];
  receiver.granted = after(receiver.granted, credit);
  CreditHost& host = ends_.hosts[context.host()];
  host.next_pull = context.now() + gap(credit, context.host());
  const auto out = ends_.packets.control<CreditPacket>(flow, PacketKind::pull, receiver.granted, true);
  send_at_once(context, ends_.paths, out, true, receiver.paths);
}

}  // namespace trainyard::packet
