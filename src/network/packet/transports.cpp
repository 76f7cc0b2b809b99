#include "network/packet/transports.h"

#include "base/errors.h"

namespace trainyard::packet {
namespace {

using enum Transport;
using enum LoadBalancing;

constexpr TransportTraits kTraits[] = {
    {.transport = ndp, .run = run_ndp, .load_balancing = spray, .trim = true, .acknowledgements_first = true},
};

}  // namespace

const TransportTraits& traits_of(Transport transport) {
  for (const TransportTraits& traits : kTraits) {
    if (traits.transport == transport) return traits;
  }
  broken_invariant("a transport has traits", __FILE__, __LINE__, "transport without an entry");
}

}  // namespace trainyard::packet
