// Whole runs of `network`: designs counted, priced and drawn, traffic put on them, routes, and the search for
// the cheapest.
#include "question.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/rail.h"
#include "trainyard/report/networks.h"
#include "trainyard/route.h"

namespace trainyard::fuzz {
namespace {

constexpr std::int64_t kFewHosts = 2048;
constexpr std::size_t kFewMixes = 1000;

bool are_small(const std::vector<NetworkDesign>& designs) {
  for (const NetworkDesign& design : designs) {
    if (design.hosts * design.fabrics() > kFewHosts || count(design).chips > kFewHosts) return false;
  }
  return true;
}

std::string of_designs(const Scenario& scenario, const std::vector<NetworkDesign>& designs) {
  const auto answers = answer_networks(scenario);
  std::string out = networks_json(answers, provenance_of(scenario)) + networks_csv(answers) +
                    networks_text(answers) + networks_svg(designs);
  for (const NetworkDesign& design : designs) out += network_dot(design) + cable_list(design);
  return out;
}

TrafficMatrix matrix_of(const std::string& name, const Scenario& scenario, const NetworkDesign& design) {
  if (name == "plan_traffic") return traffic_of(make_plan(scenario));
  if (name == "rail_traffic") {
    const RailAnalysis analysis = analyse_rail(scenario);
    return traffic_of(analysis.rail, analysis.best.model_group);
  }
  constexpr Bytes kUsual(1e6);
  return named_traffic(design, name, kUsual, 1);
}

std::string of_loads(const Question& question, const Scenario& scenario,
                     const std::vector<NetworkDesign>& designs) {
  const std::string routing = question.words[1] == "usual" ? "" : question.words[1];
  std::vector<TrafficAnswer> answers;
  for (const NetworkDesign& design : designs) {
    const TrafficMatrix matrix = matrix_of(question.words[0], scenario, design);
    answers.push_back({design.input.name, question.words[0], routing, load_of(design, matrix, routing)});
  }
  return loads_json(answers, provenance_of(scenario)) + loads_csv(answers) + loads_text(answers);
}

std::string of_routes(const Scenario& scenario, const std::vector<NetworkDesign>& designs,
                      const std::vector<std::string>& failed) {
  std::string out;
  for (const NetworkDesign& design : designs) {
    const RouteAnswer answer = find_route(design, 0, design.hosts - 1, 1, failed);
    out += route_json(answer, provenance_of(scenario)) + route_csv(answer) + route_text(answer);
  }
  return out;
}

std::string of_search(const Scenario& scenario) {
  const OptimizeInput& input = scenario.optimize;
  const std::size_t mixes = (1 + input.planes.size()) * (1 + input.rails.size()) *
                            (1 + input.switches.size()) * (1 + input.oversubscription.size());
  if (mixes > kFewMixes) return {};
  const NetworkSearch search = search_networks(scenario);
  return network_search_json(search, provenance_of(scenario)) + network_search_csv(search) +
         network_search_text(search);
}

std::string answer_network_question(const Question& question, const ScenarioText& text) {
  const Scenario scenario = text.resolve();
  const std::vector<NetworkDesign> designs = designs_of(scenario);
  if (!are_small(designs)) return {};
  if (question.words[0] == "designs") return of_designs(scenario, designs);
  if (question.words[0] == "route") return of_routes(scenario, designs, {});
  if (question.words[0] == "detour") return of_routes(scenario, designs, {"leaf 1", "spine 0"});
  if (question.words[0] == "search") return of_search(scenario);
  return of_loads(question, scenario, designs);
}

std::vector<std::string> questions() {
  std::vector<std::string> out = {"designs", "route", "detour", "search", "plan_traffic", "rail_traffic"};
  for (const std::string& name : traffic_names()) out.push_back(name);
  return out;
}

}  // namespace

const Asking& asking() {
  static const Asking all = {{questions(), {"usual", "symmetric", "minimal", "valiant"}},
                             {"design", "floor", "optimize", "facility", "network", "mapping"},
                             answer_network_question};
  return all;
}

}  // namespace trainyard::fuzz
