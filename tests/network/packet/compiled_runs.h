// What the library has compiled is not compiled again: an engine for one transport takes a compiler up to
// half a minute.
#pragma once

#include <utility>

#include "network/packet/transports/bbr.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/cubic.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/homa.h"
#include "network/packet/transports/hpcc.h"
#include "network/packet/transports/ndp.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/scheduled.h"
#include "network/packet/transports/sharp.h"
#include "network/packet/transports/smartt.h"
#include "network/packet/transports/swift.h"
#include "network/packet/transports/unreliable.h"

namespace trainyard::packet {

template <class Transport>
constexpr bool kCarriesMessages = false;
template <class Control>
constexpr bool kCarriesMessages<Acked<Control>> = true;
template <>
inline constexpr bool kCarriesMessages<Credits> = true;
/// Whether the transport that is made has connections of several messages.
template <class Make>
constexpr bool kKeepsConnections =
    kCarriesMessages<decltype(std::declval<Make>()(std::declval<const TransportSetup&>()))>;

extern template RunOutcome run_transport(const TransportSetup&, Acked<Bbr>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Cubic>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Dctcp>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Hpcc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<FarHpcc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<NearHpcc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<PromptNscc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<PromptSmartt>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Nscc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<OrderedNscc>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Roce<false>>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Roce<true>>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Smartt>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Acked<Swift>&, std::uint32_t,
                                         const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Credits&, std::uint32_t, const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Homa&, std::uint32_t, const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Ndp&, std::uint32_t, const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Scheduled&, std::uint32_t, const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Sharp&, std::uint32_t, const WindowTick&);
extern template RunOutcome run_transport(const TransportSetup&, Unreliable&, std::uint32_t,
                                         const WindowTick&);

}  // namespace trainyard::packet
