#include "scenario/transport_facts.h"

namespace trainyard {
namespace {

template <class Record>
constexpr TransportFacts facts_in() {
  return {.lossless = requires {Record::kLossless;
}
, .between_sites = requires { Record::kBetweenSites; }
, .tcp_packets = requires { Record::kTcpPackets; }
};  // namespace
}  // namespace trainyard

}  // namespace

TransportFacts facts_of(Transport transport) {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) \
  if (transport == Transport::name) return facts_in<Record>();
#include "trainyard/registries/transports.def"
  return {};
}

std::vector<Transport> transports_between_sites() {
  std::vector<Transport> out;
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) \
  if (facts_in<Record>().between_sites) out.push_back(Transport::name);
#include "trainyard/registries/transports.def"
  return out;
}

}  // namespace trainyard
