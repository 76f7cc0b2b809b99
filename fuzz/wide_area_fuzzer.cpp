// Whole runs of `wide-area`: closed forms of several sites, and packets between them.
#include "question.h"
#include "trainyard/long_haul.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area.h"

namespace trainyard::fuzz {
namespace {

constexpr double kFewPackets = 20'000;
constexpr std::uint64_t kManyEvents = 200'000;

bool are_small(const Scenario& scenario, const std::vector<LongHaulCase>& cases) {
  constexpr std::size_t kFewCases = 12;
  constexpr std::int64_t kFewHosts = 64;
  constexpr double kPacket_bytes = 4096;
  const LongHaulInput& input = scenario.long_haul;
  if (cases.size() > kFewCases || input.senders * input.sites > kFewHosts || input.local_flows > kFewHosts)
    return false;
  const double local = static_cast<double>(input.local_flows) * input.local_bytes.si();
  const double sent =
      cases.empty() ? 0 : cases.front().bytes.si() * static_cast<double>(input.senders * input.sites);
  return (local + sent) / kPacket_bytes <= kFewPackets;
}

std::string of_packets(const Scenario& scenario) {
  std::vector<LongHaulResult> results;
  const std::vector<LongHaulCase> cases = long_haul_cases(scenario);
  if (!are_small(scenario, cases)) return {};
  for (const LongHaulCase& one : cases) {
    results.push_back(simulate_long_haul(scenario, one, [](const SimulationProgress& now) {
      if (now.events > kManyEvents) throw LongEnough();
    }));
  }
  return long_haul_json(scenario, results) + long_haul_csv(results) + long_haul_text(scenario, results) +
         chart_svg(long_haul_chart(results));
}

std::string answer_wide_area(const Question& question, const ScenarioText& text) {
  const Scenario scenario = text.resolve();
  if (question.words[0] == "packets") return of_packets(scenario);
  const WideAreaAnswer answer = plan_wide_area(scenario);
  return wide_area_json(scenario, answer) + wide_area_csv(answer) + wide_area_text(scenario, answer) +
         chart_svg(wide_area_chart(answer));
}

}  // namespace

const Asking& asking() {
  static const Asking all = {
      {{"sites", "packets"}},
      {"wide_area", "long_haul", "network", "facility", "fec", "scheduled", "bbr", "ndp"},
      answer_wide_area};
  return all;
}

}  // namespace trainyard::fuzz
