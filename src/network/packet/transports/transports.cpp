#include "network/packet/transports/transports.h"

#include <array>
#include <cstddef>

#include "base/errors.h"

namespace trainyard::packet {
namespace {

const auto& all_traits() {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) name##_traits(),
  static const std::array kTraits = {
#include "trainyard/registries/transports.def"
  };
  return kTraits;
}

}  // namespace

const TransportTraits& traits_of(Transport transport) {
  TY_ASSERT(transport != Transport::ideal, "a transport that sends packets");
  return all_traits().at(static_cast<std::size_t>(transport) - 1);
}

void check_parameters(const TransportsInput& input) {
  for (const TransportTraits& traits : all_traits()) {
    if (traits.check != nullptr) traits.check(input);
  }
}

}  // namespace trainyard::packet
