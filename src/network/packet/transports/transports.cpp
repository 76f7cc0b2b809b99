#include "network/packet/transports/transports.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/choices.h"
#include "base/errors.h"
#include "scenario/choices/simulation.h"
#include "scenario/choices/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {
namespace {

const auto& all_traits() {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) name##_traits(),
  static const std::array kTraits = {
#include "trainyard/registries/transports.def"
  };
  return kTraits;
}

/// Names in a row: "nscc, rccc".
void add_name(std::string& names, std::string_view name) {
  if (!names.empty()) names += ", ";
  names += name;
}

void check_delivery(Transport transport, const TransportTraits& traits, Delivery wanted) {
  const auto has = [&](const TransportTraits& any) {
    return std::find(any.deliveries.begin(), any.deliveries.end(), wanted) != any.deliveries.end();
  };
  if (has(traits)) return;
  std::string allowed;
  if (traits.deliveries.empty()) {
    for (std::size_t t = 0; t < all_traits().size(); ++t) {
      if (has(all_traits().at(t))) add_name(allowed, choice_name(static_cast<Transport>(t + 1)));
    }
    fail_input(whole("simulation.delivery"),
               std::string(choice_name(transport)) + " delivers in its own way alone",
               "without it, or simulation.transport = one of " + allowed);
  }
  for (const Delivery delivery : traits.deliveries) add_name(allowed, choice_name(delivery));
  fail_input(whole("simulation.delivery"),
             std::string(choice_name(transport)) + " does not deliver by " + std::string(choice_name(wanted)),
             "one of " + allowed);
}

}  // namespace

TransportTraits traits_of(Transport transport, const TransportsInput& settings) {
  TransportTraits out = traits_of(transport);
  if (out.adapt != nullptr) out.adapt(out, settings);
  return out;
}

TransportTraits traits_of(const SimulationInput& input, const TransportsInput& settings) {
  TransportTraits out = traits_of(input.transport, settings);
  if (!input.delivery) return out;
  check_delivery(input.transport, out, *input.delivery);
  switch (*input.delivery) {
    case Delivery::rod:
      out.load_balancing = LoadBalancing::ecmp;  // one entropy a flow
      out.goes_back = true;
      break;
    case Delivery::rud:
      break;
    case Delivery::rudi:
      out.keeps_connections = false;
      break;
    case Delivery::uud:
      out.load_balancing = LoadBalancing::random;
      out.keeps_connections = false;
      out.answers = false;
      out.trim = false;  // nobody would ask for the rest
      break;
  }
  return out;
}

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
