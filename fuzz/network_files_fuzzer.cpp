// Files of flows and topologies: refused with a reason, or a workload that can be sent and a network whose
// ports lead back to themselves.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/errors.h"
#include "network/wiring/topology_file.h"
#include "trainyard/errors.h"
#include "workload/flow_files.h"

namespace {

using namespace trainyard;
using namespace trainyard::wiring;
using namespace trainyard::workload;

constexpr std::int64_t kHosts = 16;
constexpr std::int64_t kFewPorts = 100'000;  // of what is laid out

void check(const Workload& workload) {
  if (workload.flows.empty()) std::abort();
  for (const Flow& flow : workload.flows) {
    if (flow.from >= kHosts || flow.to >= kHosts || flow.from == flow.to || flow.bytes == 0) std::abort();
  }
  for (const Dependency& d : workload.dependencies) {
    if (d.before >= workload.flows.size() || d.after >= workload.flows.size() || d.before == d.after)
      std::abort();
  }
}

void check(const TopologyFile& file) {
  std::int64_t ports = file.shape.endpoints;
  for (std::size_t t = 0; t < file.shape.tiers.size(); ++t)
    ports += file.shape.switches(t) * (file.shape.tiers[t].down + file.shape.tiers[t].uplinks);
  if (ports > kFewPorts) return;
  const Layout layout = lay_out(file.shape, 1, file.links, whole("fuzz"));
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    for (std::uint32_t p = 0; p < layout.nodes[n].ports; ++p) {
      const Wire& there = layout.wires[layout.nodes[n].first_port + p];
      const Wire& back = layout.wires[layout.nodes[there.node].first_port + there.in_port];
      if (back.node != n || back.in_port != p) std::abort();
    }
  }
}

template <class Read>
void read(const Read& reader) {
  try {
    check(reader());
  } catch (const InputError& error) {
    if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = std::make_shared<const SourceText>(
      SourceText{"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  read([&] { return read_flow_file(text, kHosts); });
  read([&] { return read_connection_matrix(text, kHosts); });
  read([&] { return read_topology_file(text); });
  return 0;
}
