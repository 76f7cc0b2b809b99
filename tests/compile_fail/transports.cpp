// Compiles as it stands; each TRAINYARD_WRONG is a transport or a control law that lacks something.
#include "network/packet/transport_contract.h"
#include "network/packet/transports/control_law.h"

using namespace trainyard;
using namespace trainyard::packet;

#ifndef TRAINYARD_WRONG
#define TRAINYARD_WRONG 0
#endif

struct Context {};

struct Silent {
  using Packet = packet::Packet;
#if TRAINYARD_WRONG != 1
  void start(Context&, std::uint32_t) {}
#endif
  void receive(Context&, const Packet&) {}
  void wake(Context&) {}
#if TRAINYARD_WRONG == 2
  void offer(Context&, Packet&) {}
#else
  bool offer(Context&, Packet&) { return false; }
#endif
  bool fits(const Packet&) const { return true; }
  void look(std::uint32_t, FlowSample&) const {}
};

struct Law {
  using Packet = AckedPacket;
  static constexpr bool kGoBackN = false;
  struct State {};
  struct Notes {};
  void begin(State&, const FlowFacts&) const {}
  void acknowledged(State&, const Acknowledgement<Packet>&) const {}
  void lost(State&, Picoseconds) const {}
#if TRAINYARD_WRONG != 3
  void cut(State&, Picoseconds) const {}
#endif
  void timed_out(State&, Picoseconds) const {}
#if TRAINYARD_WRONG != 4
  double window(const State&) const { return 1; }
#endif
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}
};

void right() { check_transport<Silent, Context>(); }
static_assert(check_control_law<Law>());
