// NDP (Handley et al. 2017): senders start at line rate, switches cut payloads off, receivers pull.
//
// A sender sends its first window at once. A receiver acknowledges every packet, reports every header, and
// for each asks for one more, at the pace at which its link could take them, in turn over its flows; a report
// that goes out when a pull is due carries it. Every packet takes another path.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "network/packet/engine.h"
#include "network/packet/flows.h"

namespace trainyard::packet {

struct NdpRules {
  std::uint32_t window_packets = 50;    // sent before the first pull
  std::uint16_t packet_bytes = 4096;    // of full data packets
  std::uint16_t control_bytes = 64;     // of everything else
  Picoseconds timeout = 1'000'000'000;  // without news of a flow (1 ms)
  bool spray = true;                    // else all packets of a flow take the path of its hash
};

class Ndp {
 public:
  static constexpr std::uint8_t kResynchronize = 1;  // mark of data: pulls may have been lost
  static constexpr std::uint8_t kPulls = 2;          // mark of a report: it is a pull as well

  Ndp(const Layout& layout, const LinkRules& links, const NdpRules& rules, std::vector<Flow>& flows);

  template <class Context>
  void start(Context& context, std::uint32_t flow);
  template <class Context>
  void receive(Context& context, const Packet& packet);
  template <class Context>
  void wake(Context& context);

  /// Flows whose every byte has been received and acknowledged.
  std::uint64_t finished() const { return finished_; }
  std::uint64_t timeouts() const { return timeouts_; }
  std::size_t bytes() const;

 private:
  /// Uplinks of a flow's packets: each once a round, from a random one on in random steps.
  struct Spray {
    std::uint16_t next = 0;
    std::uint16_t step = 1;
    std::uint16_t left = 0;  // of the round
    std::uint16_t round = 0;
  };
  struct Sender {
    SequenceSet acknowledged;
    std::vector<std::uint32_t> repeats;  // to be sent again, the last first
    std::uint32_t packets = 0;
    std::uint32_t next = 0;  // never sent yet
    std::uint32_t acknowledgements = 0;
    std::uint32_t credit = 0;  // pulls that came before there was anything to send
    Picoseconds deadline = kNever;
    Spray spray;
  };
  struct Receiver {
    SequenceSet received;
    std::uint32_t count = 0;
    std::uint32_t pulls = 0;    // asked for
    std::uint32_t allowed = 0;  // of them
    Spray spray;
  };
  struct Host {
    std::deque<std::uint32_t> pulls;  // flows that are owed one
    Picoseconds next_pull = 0;
    std::vector<std::uint32_t> sending;
  };

  std::uint32_t size_of(const Flow& flow, std::uint32_t sequence) const;
  Packet addressed(std::uint32_t flow, std::uint32_t to, PacketKind kind, std::uint32_t sequence,
                   Spray& spray) const;
  void choose_path(std::uint32_t flow, bool back, Packet& packet, Spray& spray) const;

  template <class Context>
  void send_data(Context& context, std::uint32_t flow, std::uint32_t sequence, bool resynchronize);
  template <class Context>
  void send_next(Context& context, std::uint32_t flow);
  template <class Context>
  void answer(Context& context, const Packet& packet);
  template <class Context>
  void acknowledged(Context& context, const Packet& packet);
  template <class Context>
  void pulled(Context& context, std::uint32_t flow);
  template <class Context>
  void cut(Context& context, const Packet& packet);
  template <class Context>
  bool ask(Context& context, std::uint32_t flow);
  template <class Context>
  void send_pull(Context& context);
  template <class Context>
  void check_deadlines(Context& context, Host& host);
  template <class Context>
  void plan_wake(Context& context);

  const Layout& layout_;
  NdpRules rules_;
  std::vector<std::uint16_t> steps_;  // that visit every uplink
  Picoseconds pull_gap_;
  std::vector<Flow>& flows_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::vector<Host> hosts_;
  std::uint64_t finished_ = 0;
  std::uint64_t timeouts_ = 0;
};

template <class Context>
void Ndp::start(Context& context, std::uint32_t flow) {
  Sender& sender = senders_[flow];
  hosts_[context.host()].sending.push_back(flow);
  sender.deadline = context.now() + rules_.timeout;
  for (std::uint32_t i = 0; i < rules_.window_packets && sender.next < sender.packets; ++i)
    send_next(context, flow);
  plan_wake(context);
}

template <class Context>
void Ndp::receive(Context& context, const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::data:
    case PacketKind::header:
      return answer(context, packet);
    case PacketKind::ack:
      acknowledged(context, packet);
      break;
    case PacketKind::nack:
      cut(context, packet);
      break;
    case PacketKind::pull:
      break;
  }
  if (packet.kind == PacketKind::pull || packet.marks == kPulls) pulled(context, packet.flow);
}

template <class Context>
void Ndp::pulled(Context& context, std::uint32_t flow) {
  Sender& sender = senders_[flow];
  if (sender.deadline != kNever) sender.deadline = context.now() + rules_.timeout;
  send_next(context, flow);
}

template <class Context>
void Ndp::wake(Context& context) {
  Host& host = hosts_[context.host()];
  if (!host.pulls.empty() && host.next_pull <= context.now()) send_pull(context);
  check_deadlines(context, host);
  plan_wake(context);
}

template <class Context>
void Ndp::send_data(Context& context, std::uint32_t flow, std::uint32_t sequence, bool resynchronize) {
  Packet packet = addressed(flow, flows_[flow].to, PacketKind::data, sequence, senders_[flow].spray);
  packet.bytes = static_cast<std::uint16_t>(size_of(flows_[flow], sequence));
  packet.marks = resynchronize ? kResynchronize : 0;
  context.send(packet);
}

/// What was cut first, then what is new.
template <class Context>
void Ndp::send_next(Context& context, std::uint32_t flow) {
  Sender& sender = senders_[flow];
  while (!sender.repeats.empty()) {
    const std::uint32_t sequence = sender.repeats.back();
    sender.repeats.pop_back();
    if (!sender.acknowledged.has(sequence)) return send_data(context, flow, sequence, false);
  }
  if (sender.next < sender.packets) return send_data(context, flow, sender.next++, false);
  ++sender.credit;
}

/// A pull and the report of a cut packet take different paths: either may come first.
template <class Context>
void Ndp::cut(Context& context, const Packet& packet) {
  Sender& sender = senders_[packet.flow];
  if (sender.acknowledged.has(packet.sequence)) return;
  sender.repeats.push_back(packet.sequence);
  if (sender.credit == 0) return;
  --sender.credit;
  send_next(context, packet.flow);
}

template <class Context>
void Ndp::answer(Context& context, const Packet& packet) {
  Flow& flow = flows_[packet.flow];
  Receiver& receiver = receivers_[packet.flow];
  const bool whole = packet.kind == PacketKind::data;
  const std::uint32_t packets = senders_[packet.flow].packets;
  if (whole && receiver.received.add(packet.sequence) && ++receiver.count == packets)
    flow.received = context.now();
  if (!whole) ++receiver.allowed;
  // After a timeout pulls may have been lost: what is missing may be asked for again.
  if (packet.marks == kResynchronize) receiver.allowed = receiver.pulls + (packets - receiver.count);
  const bool asks = receiver.count < packets && receiver.pulls < receiver.allowed;
  Packet report = addressed(packet.flow, flow.from, whole ? PacketKind::ack : PacketKind::nack,
                            packet.sequence, receiver.spray);
  report.marks = asks && ask(context, packet.flow) ? kPulls : 0;
  context.send(report);
}

template <class Context>
void Ndp::acknowledged(Context& context, const Packet& packet) {
  Sender& sender = senders_[packet.flow];
  sender.deadline = context.now() + rules_.timeout;
  if (!sender.acknowledged.add(packet.sequence) || ++sender.acknowledgements < sender.packets) return;
  flows_[packet.flow].finished = context.now();
  sender.deadline = kNever;
  ++finished_;
  std::erase(hosts_[context.host()].sending, packet.flow);
}

/// Owes the flow a pull. Whether the report that is sent now carries it: nobody waits, and it is time.
template <class Context>
bool Ndp::ask(Context& context, std::uint32_t flow) {
  Host& host = hosts_[context.host()];
  ++receivers_[flow].pulls;
  if (host.pulls.empty() && host.next_pull <= context.now()) {
    host.next_pull = context.now() + pull_gap_;
    return true;
  }
  host.pulls.push_back(flow);
  plan_wake(context);
  return false;
}

template <class Context>
void Ndp::send_pull(Context& context) {
  Host& host = hosts_[context.host()];
  const std::uint32_t flow = host.pulls.front();
  host.pulls.pop_front();
  host.next_pull = context.now() + pull_gap_;
  context.send(addressed(flow, flows_[flow].from, PacketKind::pull, 0, receivers_[flow].spray));
}

/// A flow without news sends its first missing packet again, and asks to be pulled anew.
template <class Context>
void Ndp::check_deadlines(Context& context, Host& host) {
  for (const std::uint32_t flow : host.sending) {
    Sender& sender = senders_[flow];
    if (sender.deadline > context.now()) continue;
    ++timeouts_;
    sender.deadline = context.now() + rules_.timeout;
    const std::uint32_t missing = sender.acknowledged.first_missing(0);
    // Everything sent and not acknowledged may be lost.
    sender.repeats.clear();
    for (std::uint32_t sequence = sender.next; sequence-- > missing + 1;) {
      if (!sender.acknowledged.has(sequence)) sender.repeats.push_back(sequence);
    }
    if (missing < sender.packets) send_data(context, flow, missing, true);
  }
}

template <class Context>
void Ndp::plan_wake(Context& context) {
  const Host& host = hosts_[context.host()];
  Picoseconds next = host.pulls.empty() ? kNever : std::max(host.next_pull, context.now());
  for (const std::uint32_t flow : host.sending) next = std::min(next, senders_[flow].deadline);
  context.wake_at(next);
}

}  // namespace trainyard::packet
