// NDP (Handley et al. 2017): senders start at line rate, switches cut payloads off, receivers pull.
//
// A sender sends its first window at once. A receiver acknowledges every packet, reports every header, and
// for each asks for one more, at the pace at which its links could take them, in turn over its flows; a
// report that goes out when a pull is due carries it. Every packet takes another path.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/packet/fifo.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/sent_times.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class Ndp {
 public:
  using Packet = packet::Packet;
  static constexpr std::uint8_t kResynchronize = 1;  // mark of data: pulls may have been lost
  static constexpr std::uint8_t kPulls = 2;          // mark of a report: it is a pull as well

  Ndp(const TransportSetup& setup, const NdpInput& input);

  template <class Context>
  void start(Context& context, std::uint32_t flow);
  template <class Context>
  void receive(Context& context, const Packet& packet);
  void prefetch(const Packet& packet) const { ends_.prefetch(packet); }
  void prefetch_host(std::uint32_t host) const {
    turns_.prefetch(host);
    ends_.hosts[host].prefetch();
  }
  template <class Context>
  void wake(Context& context);
  template <class Context>
  bool offer(Context& context, Packet& out);

  std::size_t bytes() const { return ends_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, turns_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const { return packet.sequence < ends_.packets.count(packet.flow); }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = ends_.payload_bytes(flow, ends_.receivers[flow].count);
  }

 private:
  struct Sender {
    SequenceSet acknowledged;
    SentTimes sent;
    std::vector<std::uint32_t> repeats;  // to be sent again, the last first
    std::uint32_t packets = 0;
    std::uint32_t next = 0;  // never sent yet
    std::uint32_t acknowledgements = 0;
    std::uint32_t credit = 0;  // packets that it may send
    bool listed = false;       // in the turns
    bool resynchronizes = false;
    Picoseconds deadline = kNever;  // of the flow's silence; kNever: not begun, or done
    Paths::State paths;

    std::size_t bytes() const {
      return acknowledged.bytes() + sent.bytes() + repeats.capacity() * sizeof(std::uint32_t);
    }
    template <class Archive>
    void serialize(Archive& a) {
      a(acknowledged, sent, repeats, packets, next, acknowledgements, credit, listed, resynchronizes,
        deadline, paths);
    }
  };
  struct Receiver {
    SequenceSet received;
    std::uint32_t count = 0;
    std::uint32_t pulls = 0;    // asked for
    std::uint32_t allowed = 0;  // of them
    std::uint32_t owed = 0;     // of them, not sent yet
    Paths::State paths;

    std::size_t bytes() const { return received.bytes(); }
    template <class Archive>
    void serialize(Archive& a) {
      a(received, count, pulls, allowed, owed, paths);
    }
  };
  struct Host {
    Fifo<std::uint32_t> pulls;  // flows that are owed some, each once: in turn
    Picoseconds next_pull = 0;
    Timers timeouts;

    void prefetch() const {
      pulls.prefetch();
      timeouts.prefetch();
    }
    template <class Archive>
    void serialize(Archive& a) {
      a(pulls, next_pull, timeouts);
    }
  };

  template <class Context>
  void list(Context& context, std::uint32_t flow);
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
  void send_control(Context& context, std::uint32_t flow, PacketKind kind, std::uint32_t sequence,
                    std::uint8_t marks);
  template <class Context>
  void time_out(Context& context, std::uint32_t flow);
  Picoseconds due(std::uint32_t flow);
  static void note_sent(Sender& sender, std::uint32_t sequence, bool again, Picoseconds now) {
    if (again) return sender.sent.add_repeat(now, sequence, sender.acknowledged);
    sender.sent.add_new(now, sequence, sender.acknowledged);
  }
  template <class Context>
  void plan_wake(Context& context);
  bool next_sequence(Sender& sender, std::uint32_t& sequence) const;

  std::uint32_t window_packets_;
  Picoseconds timeout_;
  CreditGap pull_gap_;
  Ends<Sender, Receiver, Host> ends_;
  Turns turns_;
};

template <class Context>
void Ndp::start(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  sender.credit = std::min(window_packets_, sender.packets);
  sender.deadline = context.now() + timeout_;
  ends_.hosts[context.host()].timeouts.add(sender.deadline, flow);
  list(context, flow);
  plan_wake(context);
}

/// Puts a flow that may send something into the turns.
template <class Context>
void Ndp::list(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.listed || sender.credit == 0) return;
  if (sender.repeats.empty() && sender.next == sender.packets && !sender.resynchronizes) return;
  sender.listed = true;
  turns_.add(context.host(), ends_.paths.plane_of(flow, false), flow);
  context.ready();
}

template <class Context>
bool Ndp::offer(Context& context, Packet& out) {
  const auto usable = ends_.paths.usable(context.plane());
  return turns_.serve(context.host(), context.plane(), usable, [&](std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    sender.listed = false;
    std::uint32_t sequence = 0;
    const std::uint32_t fresh = sender.next;
    if (sender.credit == 0 || !next_sequence(sender, sequence)) return false;
    --sender.credit;
    ends_.packets.make_data(out, flow, sequence);
    out.marks = sender.resynchronizes ? kResynchronize : 0;
    sender.resynchronizes = false;
    note_sent(sender, sequence, sequence != fresh, context.now());
    ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
    list(context, flow);
    return true;
  });
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
    case PacketKind::pause:
      break;
  }
  if (packet.kind == PacketKind::pull || (packet.marks & kPulls) != 0) pulled(context, packet.flow);
}

template <class Context>
void Ndp::pulled(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.deadline != kNever) sender.deadline = context.now() + timeout_;
  ++sender.credit;
  list(context, flow);
}

template <class Context>
void Ndp::wake(Context& context) {
  Host& host = ends_.hosts[context.host()];
  if (!host.pulls.empty() && host.next_pull <= context.now()) {
    const std::uint32_t flow = host.pulls.front();
    host.pulls.pop_front();
    if (--ends_.receivers[flow].owed > 0) host.pulls.push_back(flow);
    host.next_pull = context.now() + pull_gap_.of(context.host());
    send_control(context, flow, PacketKind::pull, 0, 0);
  }
  host.timeouts.run(
      context.now(), [&](std::uint32_t flow) { return due(flow); },
      [&](std::uint32_t flow) { time_out(context, flow); });
  plan_wake(context);
}

template <class Context>
void Ndp::send_control(Context& context, std::uint32_t flow, PacketKind kind, std::uint32_t sequence,
                       std::uint8_t marks) {
  Packet packet = ends_.packets.control<Packet>(flow, kind, sequence, true);
  packet.marks = marks;
  send_at_once(context, ends_.paths, packet, true, ends_.receivers[flow].paths);
}

/// A pull and the report of a cut packet take different paths: either may come first.
template <class Context>
void Ndp::cut(Context& context, const Packet& packet) {
  Sender& sender = ends_.senders[packet.flow];
  if (sender.acknowledged.has(packet.sequence)) return;
  sender.repeats.push_back(packet.sequence);
  ++context.counters().repeats;
  list(context, packet.flow);
}

template <class Context>
void Ndp::answer(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  const bool whole = packet.kind == PacketKind::data;
  const std::uint32_t packets = ends_.senders[packet.flow].packets;
  if (whole && receiver.received.add(packet.sequence) && ++receiver.count == packets)
    context.received(packet.flow);
  if (!whole) ++receiver.allowed;
  // After a timeout pulls may have been lost: what is missing may be asked for again.
  if ((packet.marks & kResynchronize) != 0) receiver.allowed = receiver.pulls + (packets - receiver.count);
  const bool asks = receiver.count < packets && receiver.pulls < receiver.allowed;
  const bool now = asks && ask(context, packet.flow);
  send_control(context, packet.flow, whole ? PacketKind::ack : PacketKind::nack, packet.sequence,
               now ? kPulls : 0);
}

template <class Context>
void Ndp::acknowledged(Context& context, const Packet& packet) {
  Sender& sender = ends_.senders[packet.flow];
  if (sender.deadline != kNever) sender.deadline = context.now() + timeout_;
  if (!sender.acknowledged.add(packet.sequence) || ++sender.acknowledgements < sender.packets) return;
  sender.deadline = kNever;
  sender.sent.clear();
  context.finished(packet.flow);
}

/// Owes the flow a pull. Whether the report that is sent now carries it: nobody waits, and it is time.
template <class Context>
bool Ndp::ask(Context& context, std::uint32_t flow) {
  Host& host = ends_.hosts[context.host()];
  Receiver& receiver = ends_.receivers[flow];
  ++receiver.pulls;
  if (host.pulls.empty() && host.next_pull <= context.now()) {
    host.next_pull = context.now() + pull_gap_.of(context.host());
    return true;
  }
  if (receiver.owed++ == 0) host.pulls.push_back(flow);
  plan_wake(context);
  return false;
}

/// The oldest packet's timeout, or, where none is known to be under way, that of the flow's silence.
inline Picoseconds Ndp::due(std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.deadline == kNever) return kNever;
  const Picoseconds oldest = sender.sent.oldest(sender.acknowledged);
  return oldest == kNever ? sender.deadline : oldest + timeout_;
}

/// What has been silent for too long is sent again. One packet goes at once, and asks to be pulled anew: so
/// does the next one of a flow to which nothing has been said.
template <class Context>
void Ndp::time_out(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  const bool is_silent = sender.deadline <= context.now();
  std::vector<std::uint32_t> again;
  const auto repeat = [&](std::uint32_t sequence) { again.push_back(sequence); };
  const Picoseconds now = context.now();
  const Picoseconds since = is_silent ? kNever : now - std::min(now, timeout_) + 1;
  sender.sent.lose(since, is_silent ? sender.next : 0, sender.acknowledged, sender.repeats, repeat);
  if (again.empty() && !is_silent) return;
  sender.repeats.insert(sender.repeats.end(), again.rbegin(), again.rend());
  ++context.counters().timeouts;
  context.counters().repeats += again.size();
  sender.deadline = context.now() + timeout_;
  if (is_silent) ends_.paths.timed_out(flow, sender.deadline);
  // Each lost packet was one of the window, and draws no pull.
  sender.credit += is_silent ? 1 : static_cast<std::uint32_t>(again.size());
  sender.resynchronizes = true;
  if (is_silent) wait_anew(context, ends_.paths, flow, sender, turns_);
  list(context, flow);
}

template <class Context>
void Ndp::plan_wake(Context& context) {
  const Host& host = ends_.hosts[context.host()];
  const Picoseconds pull = host.pulls.empty() ? kNever : std::max(host.next_pull, context.now());
  context.wake_at(std::min(pull, host.timeouts.next()));
}

}  // namespace trainyard::packet
