#include "scenario/transport_facts.h"

namespace trainyard {
namespace {

template <class Record>
constexpr TransportFacts facts_in() {
  TransportFacts out;
  if constexpr (requires { Record::kLossless; }) out.lossless = true;
  if constexpr (requires { Record::kBetweenSites; }) out.between_sites = true;
  if constexpr (requires { Record::kTcpPackets; }) out.tcp_packets = true;
  return out;
}

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
