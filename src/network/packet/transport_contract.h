// What a transport is to the engine: a class with four handlers, compiled in.
//
// Handlers of different hosts may run at the same time: they write only what belongs to their host. Order at
// one time: service of ports, arrivals by input port, starts, the wake-up.
#pragma once

#include <concepts>
#include <cstdint>

#include "network/packet/packet.h"

namespace trainyard::packet {

/// `using Packet = ...;`: Packet or derived from it.
template <class T>
concept HasPackets = std::derived_from<typename T::Packet, Packet>;

/// `void start(Context&, std::uint32_t flow)`: a flow of context.host() begins.
template <class T, class Context>
concept StartsFlows = requires(T t, Context& context, std::uint32_t flow) {
  t.start(context, flow);
};

/// `void receive(Context&, const Packet&)`: a packet reached context.host().
template <class T, class Context>
concept ReceivesPackets = requires(T t, Context& context, const typename T::Packet& packet) {
  t.receive(context, packet);
};

/// `void wake(Context&)`: the time that it asked for has come.
template <class T, class Context>
concept Wakes = requires(T t, Context& context) {
  t.wake(context);
};

/// `bool offer(Context&, Packet& out)`: the port context.plane() is free: data to send, or false. `out` comes
/// as it is made.
template <class T, class Context>
concept OffersData = requires(T t, Context& context, typename T::Packet& out) {
  { t.offer(context, out) } -> std::same_as<bool>;
};

/// `bool fits(const Packet&)`: whether a packet of a checkpoint is one of its flow's.
template <class T>
concept ChecksPackets = requires(const T t, const typename T::Packet& packet) {
  { t.fits(packet) } -> std::same_as<bool>;
};

/// `void look(std::uint32_t flow, FlowSample&)`: what a probe sees of a flow. Between windows.
template <class T>
concept ShowsFlows = requires(const T t, std::uint32_t flow, FlowSample& sample) {
  t.look(flow, sample);
};

// A transport may have `void prefetch(const Packet&) const` as well: fetches what receive() will read of a
// packet that arrives in the window at hand. And `void prefetch_more(const Packet&) const`, a little later,
// what that has let it find; `void prefetch_host(std::uint32_t host) const`, what a host that is next will
// read.

/// Says in words which handler a transport lacks.
template <class T, class Context>
constexpr void check_transport() {
  static_assert(HasPackets<T>, "a transport needs `using Packet`: Packet or derived from it");
  static_assert(StartsFlows<T, Context>, "a transport needs `void start(Context&, std::uint32_t flow)`");
  static_assert(ReceivesPackets<T, Context>, "a transport needs `void receive(Context&, const Packet&)`");
  static_assert(Wakes<T, Context>, "a transport needs `void wake(Context&)`");
  static_assert(OffersData<T, Context>, "a transport needs `bool offer(Context&, Packet& out)`");
  static_assert(ChecksPackets<T>, "a transport needs `bool fits(const Packet&) const`");
  static_assert(ShowsFlows<T>, "a transport needs `void look(std::uint32_t flow, FlowSample&) const`");
}

}  // namespace trainyard::packet
