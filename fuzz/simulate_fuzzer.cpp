// Whole runs of `simulate`: every packet or flows alone, over designs and topology files, with traffic by
// name, connection matrices and files of flows; and runs that are saved and continued.
#include <algorithm>

#include "question.h"
#include "trainyard/connections.h"
#include "trainyard/network_design.h"
#include "trainyard/report/simulation.h"
#include "trainyard/simulation.h"

namespace trainyard::fuzz {
namespace {

constexpr std::int64_t kFewHosts = 300;
constexpr double kFewPackets = 20'000;
constexpr std::uint64_t kManyEvents = 300'000;

/// Bytes that hosts send, were each of them to send to all others.
bool is_small(const Scenario& scenario, const SimulationFiles& files) {
  const SimulationInput& input = scenario.simulation;
  const double packets = input.bytes / input.packet * static_cast<double>(input.flows.value_or(1));
  const auto few = [](std::int64_t count) { return count <= kFewHosts; };
  if (packets > kFewPackets || !few(input.chunks.value_or(1)) || !few(input.group.value_or(1))) return false;
  if (input.flows.value_or(1) > kFewHosts * kFewHosts || input.duration.has_value()) return false;
  return files.topology != nullptr || few(simulated_design(scenario).hosts);
}

void stop_when_long(const SimulationProgress& now) {
  if (now.events > kManyEvents) throw LongEnough();
}

std::string answer_simulation(const Question& question, const ScenarioText& text) {
  SimulationRun run;
  run.engine = question.words[0] == "flow" ? SimulationEngine::flow : SimulationEngine::packet;
  run.files = {question.file("topology"), question.file("connections"), question.file("flows")};
  run.progress = stop_when_long;
  if (question.words[1] == "traced") run.traced_flows = {0, 1};
  if (question.words[1] == "threads") run.threads = 2;
  const Scenario scenario = run.files.connections ? workload::resolve_with_connections(text) : text.resolve();
  if (!is_small(scenario, run.files)) return {};
  SimulationResult result = simulate(scenario, run);
  result.bytes = 0;  // what a run took differs from run to run, as its time does
  const std::string pictures = question.words[1] == "page" ? simulation_page(result, {}, scenario) : "";
  return simulation_json(result, {}, scenario) + simulation_text(result, {}) + simulation_csv(result) +
         trace_csv(result) + pictures;
}

}  // namespace

const Asking& asking() {
  static const Asking all = {{{"packet", "flow"}, {"plain", "traced", "threads", "page"}},
                             {"simulation", "failure", "design", "ndp", "homa", "eqds", "smartt", "nscc",
                              "rccc", "dcqcn", "hpcc", "swift", "dctcp", "cubic", "bbr", "scheduled", "fec"},
                             answer_simulation};
  return all;
}

}  // namespace trainyard::fuzz
