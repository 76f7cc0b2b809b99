// Which settings a simulation does not use.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "network/packet/transports/transports.h"
#include "scenario/choices/transports.h"
#include "scenario/sections.h"
#include "scenario/simulation_readers.h"
#include "scenario/transport_sections.h"
#include "trainyard/network_load.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

constexpr const char* kSection = "simulation";

class UnusedSettings {
 public:
  UnusedSettings(const Scenario& scenario, const SimulationRun& run)
      : input_(scenario.simulation),
        files_(run.files),
        of_rates_(run.engine == SimulationEngine::flow),
        of_ideal_(!of_rates_ && input_.transport == Transport::ideal) {}

  std::vector<UnusedSetting> find() {
    for (const auto& field : simulation_fields()) check(field.info);
    const auto own = of_rates_ ? std::vector<std::string>() : transport_sections(input_.transport);
    const TransportsInput any;
    each_transport_section(any, [&](const char* section, const auto&, const auto& fields) {
      if (std::find(own.begin(), own.end(), section) != own.end()) return;
      for (const std::string& key : field_names(fields)) {
        if (has_no_packets())
          add_of_packets(section, key);
        else
          out_.push_back({section, key, fmt::format("transport '{}' has other settings", name()),
                          "another simulation.transport"});
      }
    });
    return std::move(out_);
  }

 private:
  bool has_no_packets() const { return of_rates_ || of_ideal_; }
  std::string name() const { return std::string(choice_name(input_.transport)); }

  void add_of_packets(const std::string& section, const std::string& key) {
    if (of_rates_)
      out_.push_back(
          {section, key, "at flow level there are no packets, windows and queues", "--network packet"});
    else
      out_.push_back({section, key, "transport 'ideal' sends no packets", "any other transport"});
  }

  /// "seed" and "window" have rules of their own.
  void check(const FieldInfo& field) {
    using namespace simulation_reader;
    if (field.name == "seed") return check_seed();
    if (field.name == "window" && !has_no_packets()) return check_window();
    if ((field.readers & kOwnFlows) != 0 && (files_.flows || files_.connections))
      out_.push_back({kSection, field.name, "a file holds the flows", "the setting, or the file"});
    if ((field.readers & kOwnNetwork) != 0 && files_.topology)
      out_.push_back({kSection, field.name, "a file holds the network", "the setting, or --topology"});
    const unsigned engine = of_rates_ ? kRates : of_ideal_ ? kIdeal : kPackets;
    if ((field.readers & engine) == 0) add_of_packets(kSection, field.name);
  }

  void check_window() {
    if (packet::traits_of(input_.transport).by_window) return;
    std::string by_window;
    for (const Choice<Transport>& choice : Choices<Transport>::kAll) {
      if (choice.value == Transport::ideal || !packet::traits_of(choice.value).by_window) continue;
      by_window += (by_window.empty() ? "" : ", ") + std::string(choice.name);
    }
    out_.push_back({kSection, "window", fmt::format("transport '{}' has a window of its own", name()),
                    "for: " + by_window});
  }

  void check_seed() {
    if (!has_no_packets()) return;
    const bool from_file = files_.flows || files_.connections;
    if (!from_file && (is_drawn(input_.traffic) || input_.load)) return;
    if (of_rates_ && hashes()) return;
    out_.push_back({kSection, "seed", "nothing here is drawn or hashed", "without it"});
  }

  /// Paths of flows, or trees of sums.
  bool hashes() const {
    if (input_.load_balancing) return traits_of(*input_.load_balancing).paths == FlowPaths::one;
    if (input_.transport == Transport::ideal) return false;
    const packet::TransportTraits& traits = packet::traits_of(input_.transport);
    return traits.sums || traits_of(traits.load_balancing).paths == FlowPaths::one;
  }

  const SimulationInput& input_;
  const SimulationFiles& files_;
  bool of_rates_;
  bool of_ideal_;
  std::vector<UnusedSetting> out_;
};

}  // namespace

std::vector<UnusedSetting> unused_settings(const Scenario& scenario, const SimulationRun& run) {
  return UnusedSettings(scenario, run).find();
}

}  // namespace trainyard
