// Which settings a run's other settings leave nothing to do.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/packet/transports/transports.h"
#include "scenario/choices/transports.h"
#include "scenario/transport_sections.h"
#include "trainyard/load_balancing.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

constexpr const char* kSimulation = "simulation";

/// What packets of a run can meet.
class IdleSettings {
 public:
  explicit IdleSettings(const Scenario& scenario)
      : scenario_(scenario),
        input_(scenario.simulation),
        traits_(packet::traits_of(input_, scenario.transports)) {}

  std::vector<UnusedSetting> find() {
    if (traits_.idle != nullptr) add_own(traits_.idle(input_, scenario_.transports));
    check_marks();
    check_control();
    check_queue();
    if (scenario_.failures.empty())
      add("failures_known", "there is no [[failure]] to know of", "a [[failure]]");
    return std::move(out_);
  }

 private:
  void add(const char* key, const std::string& why, const char* takes_it) {
    if (!has(key)) out_.push_back({kSimulation, key, why, takes_it});
  }
  bool has(std::string_view key) const {
    return std::any_of(out_.begin(), out_.end(), [&](const UnusedSetting& setting) {
      return setting.section == kSimulation && setting.key == key;
    });
  }

  void add_own(const std::vector<packet::IdleSetting>& idle) {
    for (const packet::IdleSetting& setting : idle) {
      for (const std::string& key : keys_of(setting)) {
        if (key != setting.but) out_.push_back({setting.section, key, setting.why, setting.takes_it});
      }
    }
  }
  static std::vector<std::string> keys_of(const packet::IdleSetting& setting) {
    if (!setting.key.empty()) return {setting.key};
    std::vector<std::string> out;
    const TransportsInput any;
    each_transport_section(any, [&](const char* section, const auto&, const auto& fields) {
      if (section == setting.section) out = field_names(fields);
    });
    return out;
  }

  bool lossless() const { return input_.credit_buffer || input_.pause.value_or(traits_.pause); }
  bool trims() const { return input_.trim.value_or(traits_.trim) && !lossless(); }
  /// Whether anything waits in queues of control packets.
  bool overtakes() const {
    const bool first = has("acknowledgements_first")
                           ? traits_.acknowledgements_first
                           : input_.acknowledgements_first.value_or(traits_.acknowledgements_first);
    return trims() || (traits_.answers && first);
  }
  LoadBalancing load_balancing() const { return input_.load_balancing.value_or(traits_.load_balancing); }
  bool marks() const { return input_.mark_all.value_or(traits_.mark_all) > 0; }

  void check_marks() {
    if (!marks()) {
      for (const char* key : {"mark_from", "mark_leaving"})
        add(key, "simulation.mark_all is 0: nothing is marked", "simulation.mark_all");
      return;
    }
    // What is marked is acknowledged at once where acknowledgements cover several packets.
    const bool acts = traits_.mark_all > 0 || traits_.keeps_connections;
    const bool heard = traits_.answers && (acts || traits_of(load_balancing()).learns());
    if (heard) return;
    for (const char* key : {"mark_all", "mark_from", "mark_leaving"})
      add(key,
          fmt::format(
              "but for the count of marks: neither transport '{}' nor its load balancing acts on them",
              choice_name(input_.transport)),
          "a transport such as dctcp, or a load balancing such as reps");
  }

  void check_control() {
    if (!traits_.answers) {
      add("acknowledgements_first", "nobody acknowledges", "another simulation.delivery");
      if (!trims())
        add("control_packet", "no packet but those of data is sent", "another simulation.delivery");
    }
    if (!overtakes())
      add("control_queue", "control packets wait among data", "simulation.acknowledgements_first = true");
  }

  /// Of marks, and of control packets, it may be the measure; and of what senders wait for, where links lose.
  void check_queue() {
    const bool measures_marks = marks() && !(input_.mark_from && input_.mark_all);
    const bool measures_control = overtakes() && !input_.control_queue;
    const bool loses = input_.packet_loss > 0 || input_.bit_error_rate;
    if (!lossless() || measures_marks || measures_control || loses) return;
    add("queue", fmt::format("{} keep queues from filling", input_.credit_buffer ? "credits" : "pauses"),
        "simulation.pause = false");
  }

  const Scenario& scenario_;
  const SimulationInput& input_;
  packet::TransportTraits traits_;
  std::vector<UnusedSetting> out_;
};

/// Without packets, detours count where they leave by more ports than shortest ways.
std::vector<UnusedSetting> idle_without_packets(const Scenario& scenario, const SimulationRun& run) {
  std::vector<UnusedSetting> out;
  const auto routing = scenario.simulation.routing;
  if (!routing || *routing == PacketRouting::minimal) return out;
  Scenario shortest = scenario;
  shortest.simulation.routing = PacketRouting::minimal;
  if (run.files.topology || least_completion(scenario) == least_completion(shortest))
    out.push_back({kSimulation, "routing",
                   "transport 'ideal' sends no packets, and hosts' links are those of "
                   "shortest ways",
                   "any other transport"});
  return out;
}

}  // namespace

std::vector<UnusedSetting> idle_settings(const Scenario& scenario, const SimulationRun& run) {
  if (run.engine == SimulationEngine::flow) {
    if (!scenario.failures.empty()) return {};
    return {{kSimulation, "failures_known", "there is no [[failure]] to know of", "a [[failure]]"}};
  }
  if (scenario.simulation.transport == Transport::ideal) return idle_without_packets(scenario, run);
  return IdleSettings(scenario).find();
}

std::vector<std::string> idle_warnings(const ScenarioText& text, const std::vector<UnusedSetting>& idle) {
  std::vector<std::string> out;
  for (const UnusedSetting& setting : idle) {
    if (text.has(setting.section, setting.key))
      out.push_back(fmt::format("{}.{} changes nothing: {}; with {} it does", setting.section, setting.key,
                                setting.why, setting.remedy));
  }
  return out;
}

}  // namespace trainyard
