// How tests make transports whose windows and packets a case draws.
#pragma once

#include "compiled_runs.h"

namespace trainyard::packet {

struct MakeNdp {
  auto operator()(const TransportSetup& s) const { return Ndp(s, NdpInput{}); }
};
struct MakeHoma {
  auto operator()(const TransportSetup& s) const {
    return Homa(s, {s.window_packets, s.window_packets, 3, 2});
  }
};
struct MakeHpcc {
  static constexpr bool kLossless = true;
  auto operator()(const TransportSetup& s) const { return Acked<Hpcc>(s, Hpcc(HpccInput{})); }
};
struct MakeNscc {
  auto operator()(const TransportSetup& s) const { return Acked<Nscc>(s, Nscc(NsccInput{}, s.queues.trim)); }
};
struct MakeOrderedNscc {
  static constexpr Delivery kDelivery = Delivery::rod;
  auto operator()(const TransportSetup& s) const {
    return Acked<OrderedNscc>(s, OrderedNscc(NsccInput{}, s.queues.trim));
  }
};
struct MakeForgetfulNscc : MakeNscc {
  static constexpr Delivery kDelivery = Delivery::rudi;
};
struct MakeBbr {
  auto operator()(const TransportSetup& s) const { return Acked<Bbr>(s, Bbr(BbrInput{})); }
};
struct MakeSharp {
  static constexpr bool kSums = true;
  auto operator()(const TransportSetup& s) const { return Sharp(s, s.window_packets); }
};
struct MakeRoce {
  static constexpr bool kLossless = true;
  auto operator()(const TransportSetup& s) const { return Acked<Roce<true>>(s, Roce<true>(DcqcnInput{})); }
};
struct MakeDctcp {
  auto operator()(const TransportSetup& s) const { return Acked<Dctcp>(s, Dctcp(DctcpInput{})); }
};

inline constexpr MakeNdp kNdp;
inline constexpr MakeDctcp kDctcp;

}  // namespace trainyard::packet
