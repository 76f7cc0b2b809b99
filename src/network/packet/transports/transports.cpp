#include "network/packet/transports/transports.h"

#include "base/errors.h"

namespace trainyard::packet {
namespace {

using enum Transport;
using enum LoadBalancing;

/// Marks on DCTCP's and DCQCN's queues begin at 15 and 16 packets of 100 (htsim); those of Ultra Ethernet at
/// a fifth and four fifths of a queue (uet-htsim).
constexpr TransportTraits kTraits[] = {
    {.transport = ndp,
     .run = run_ndp,
     .load_balancing = spray,
     .trim = true,
     .acknowledgements_first = true,
     .by_credit = true},
    {.transport = homa,
     .run = run_homa,
     .load_balancing = spray,
     .acknowledgements_first = true,
     .by_credit = true},
    {.transport = eqds,
     .run = run_eqds,
     .load_balancing = random,
     .trim = true,
     .acknowledgements_first = true,
     .by_credit = true},
    {.transport = rccc,
     .run = run_rccc,
     .load_balancing = random,
     .trim = true,
     .acknowledgements_first = true,
     .by_credit = true},
    {.transport = smartt,
     .run = run_smartt,
     .load_balancing = reps,
     .trim = true,
     .mark_from = 0.2,
     .mark_all = 0.8,
     .mark_leaving = true,
     .acknowledgements_first = true},
    {.transport = nscc,
     .run = run_nscc,
     .load_balancing = reps,
     .trim = true,
     .mark_from = 0.2,
     .mark_all = 0.8,
     .mark_leaving = true,
     .acknowledgements_first = true},
    {.transport = roce,
     .run = run_roce,
     .load_balancing = ecmp,
     .mark_from = 0.16,
     .mark_all = 0.16,
     .pause = true,
     .goes_back = true},
    {.transport = hpcc, .run = run_hpcc, .load_balancing = ecmp, .pause = true, .goes_back = true},
    {.transport = swift, .run = run_swift, .load_balancing = ecmp},
    {.transport = dctcp,
     .run = run_dctcp,
     .load_balancing = ecmp,
     .mark_from = 0.15,
     .mark_all = 0.15,
     .mark_leaving = true},
    {.transport = cubic, .run = run_cubic, .load_balancing = ecmp},
    {.transport = bbr, .run = run_bbr, .load_balancing = ecmp},
    {.transport = irn, .run = run_irn, .load_balancing = ecmp},
    {.transport = scheduled, .run = run_scheduled, .load_balancing = weighted, .by_credit = true},
    {.transport = fec, .run = run_fec, .load_balancing = weighted, .by_credit = true},
};

}  // namespace

const TransportTraits& traits_of(Transport transport) {
  for (const TransportTraits& traits : kTraits) {
    if (traits.transport == transport) return traits;
  }
  broken_invariant("a transport has traits", __FILE__, __LINE__, "transport without an entry");
}

}  // namespace trainyard::packet
