// The transports that packets can be sent with: what each expects of the network, and its run.
#pragma once

#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

/// What a network does for a transport unless the scenario says otherwise. Queues in packets.
struct TransportTraits {
  Transport transport;
  RunOutcome (*run)(const TransportSetup&, const TransportsInput&, const WindowTick&);
  LoadBalancing load_balancing;
  bool trim = false;
  double mark_from = 0;  // a share of the queue
  double mark_all = 0;   // a share of the queue; 0: no marks
  bool mark_leaving = false;
  bool pause = false;
  bool acknowledgements_first = false;
  bool by_credit = false;  // receivers decide; acknowledgements do not tell which paths are good
  bool goes_back = false;  // go-back-N: what overtakes is a loss
};

/// Of any transport but Transport::ideal, which sends no packets.
const TransportTraits& traits_of(Transport transport);

RunOutcome run_ndp(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_homa(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_eqds(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_smartt(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_nscc(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_rccc(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_roce(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_hpcc(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_swift(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_dctcp(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_cubic(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_bbr(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_irn(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_scheduled(const TransportSetup&, const TransportsInput&, const WindowTick&);
RunOutcome run_fec(const TransportSetup&, const TransportsInput&, const WindowTick&);

}  // namespace trainyard::packet
