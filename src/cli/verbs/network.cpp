// network: designs counted, priced, loaded and searched.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "cli/left_out.h"
#include "cli/loading.h"
#include "cli/outcomes.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/network_load.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/provenance.h"
#include "trainyard/quantity_text.h"
#include "trainyard/rail.h"
#include "trainyard/report/networks.h"
#include "trainyard/route.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct NetworkOptions : ScenarioOptions {
  std::string design;   // one of the scenario's; empty: all
  std::string traffic;  // put this on the designs
  std::string bytes;    // that a host sends in a named traffic; empty: 1 MB
  std::string seed;     // of a permutation, or what ECMP hashes; empty: 1
  std::string routing;
  std::vector<long long> route;     // from, to
  std::vector<std::string> failed;  // nodes that the route goes around
  bool optimize = false;
  std::string dot;
  std::string svg;
  std::string cables;
  std::string report;
};

void declare_network(Flags& flags, NetworkOptions& options) {
  flags.scenario(options);
  const Flag design = flags.option("--design", options.design, "only this design of the scenario");
  const Flag optimize =
      flags.flag("--optimize", options.optimize, "search planes, rails, tiers and oversubscription");
  const Flag load = flags
                        .option("--traffic", options.traffic,
                                "load the designs: plan, rail, a .csv of from,to,bytes, permutation, incast, "
                                "all_to_all, ring, hierarchical_all_reduce, pipeline")
                        .reads();
  flags.option("--bytes", options.bytes, "bytes that a host sends in a named traffic (1 MB)").needs(load);
  flags.option("--seed", options.seed, "seed of the permutation, or of a route's hash (1)").seed();
  flags.option("--routing", options.routing, "symmetric, minimal or valiant").needs(load);
  const Flag route = flags.option("--route", options.route, "the ways from one device to another: FROM TO")
                         .at_least(0)
                         .values(2);
  flags.option("--fail", options.failed, "a node to go around, such as \"leaf 0\" (repeatable)")
      .repeatable()
      .needs(route);
  const Flag svg = flags.option("--svg", options.svg, "draw the designs").writes();
  const Flag dot = flags.option("--dot", options.dot, "write the graph of one design for Graphviz").writes();
  const Flag cables =
      flags.option("--cables", options.cables, "write every cable of one design, port by port, as CSV")
          .writes();
  flags
      .option("--report", options.report,
              "write a self-contained HTML report of the designs, or of what --optimize found")
      .writes()
      .excludes(load)
      .excludes(route);
  for (const Flag& other : {design, load, route, svg, dot, cables}) optimize.excludes(other);
}

/// The designs of a scenario, or the one that was named.
std::vector<NetworkDesign> wanted_designs(const NetworkOptions& options, const Scenario& scenario) {
  return designs_of(scenario, options.design);
}

unsigned long long wanted_seed(const NetworkOptions& options) {
  if (options.seed.empty()) return 1;
  unsigned long long seed = 0;
  std::from_chars(options.seed.data(), options.seed.data() + options.seed.size(), seed);  // checked
  return seed;
}

constexpr const char* kUsualBytes = "1 MB";

Bytes wanted_bytes(const NetworkOptions& options) {
  const ParsedQuantity bytes =
      parse_quantity(options.bytes.empty() ? kUsualBytes : options.bytes, Unit::bytes);
  if (!bytes.error.empty()) fail_input(whole("--bytes " + options.bytes), bytes.error);
  if (bytes.si < 0) fail_input(whole("--bytes " + options.bytes), "is negative", "allowed: 0 or more");
  return Bytes(bytes.si);
}

TrafficMatrix wanted_traffic(const NetworkOptions& options, const Scenario& scenario,
                             const NetworkDesign& design) {
  const auto& known = traffic_names();
  const bool named = std::find(known.begin(), known.end(), options.traffic) != known.end();
  if (!options.bytes.empty() && !named) {
    fail_input(whole("--bytes"), "'" + options.traffic + "' has bytes of its own",
               "only for a named traffic");
  }
  if (options.traffic == "plan") return traffic_of(make_plan(scenario));
  if (options.traffic == "rail") {
    const RailAnalysis analysis = analyse_rail(scenario);
    return traffic_of(analysis.rail, analysis.best.model_group);
  }
  if (options.traffic.ends_with(".csv")) return read_traffic(options.traffic, design);
  if (!named) {
    std::vector<std::string> names = known;
    names.insert(names.begin(), {"plan", "rail"});
    fail_input(whole("--traffic"), "no traffic '" + options.traffic + "'",
               suggestion(options.traffic, names) + "; or a .csv file with from,to,bytes");
  }
  return named_traffic(design, options.traffic, wanted_bytes(options), wanted_seed(options));
}

std::string run_loads(const NetworkOptions& options, const Scenario& scenario) {
  std::vector<TrafficAnswer> answers;
  for (const NetworkDesign& design : wanted_designs(options, scenario)) {
    const TrafficMatrix matrix = wanted_traffic(options, scenario, design);
    answers.push_back(
        {design.input.name, options.traffic, options.routing, load_of(design, matrix, options.routing)});
  }
  if (options.format == Format::json) return loads_json(answers, provenance_of(scenario));
  if (options.format == Format::csv) return loads_csv(answers);
  return loads_text(answers);
}

/// The only design that is wanted, for what is written of one alone.
NetworkDesign single_design(const NetworkOptions& options, const Scenario& scenario, const char* flag) {
  const auto designs = wanted_designs(options, scenario);
  if (designs.size() > 1)
    fail_input(whole(flag), "several designs and one answer", "choose one with --design");
  return designs.front();
}

void write_pictures(const NetworkOptions& options, const Scenario& scenario) {
  if (!options.svg.empty())
    write_announced("drawing", options.svg, networks_svg(wanted_designs(options, scenario)));
  if (!options.dot.empty())
    write_announced("graph", options.dot, network_dot(single_design(options, scenario, "--dot")));
  if (!options.cables.empty()) {
    const NetworkDesign design = single_design(options, scenario, "--cables");
    write_announced("cables", options.cables, cable_list(design));
  }
}

/// ECMP hashes the seed.
std::string run_route(const NetworkOptions& options, const Scenario& scenario) {
  const RouteAnswer answer = find_route(single_design(options, scenario, "--route"), options.route[0],
                                        options.route[1], wanted_seed(options), options.failed);
  std::string text = options.format == Format::json  ? route_json(answer, provenance_of(scenario))
                     : options.format == Format::csv ? route_csv(answer)
                                                     : route_text(answer);
  if (!answer.nodes.empty()) return text;
  throw UnmetAnswer(Infeasible("a way between the devices",
                               fmt::format("device {} cannot reach device {} of design '{}'", answer.from,
                                           answer.to, answer.design),
                               answer.failed.empty() ? "" : "it would hold with fewer failures (--fail)"),
                    std::move(text));
}

std::string run_search(const NetworkOptions& options, const Scenario& scenario) {
  const NetworkSearch search = search_networks(scenario, progress_of("networks"));
  if (!options.report.empty())
    write_announced("report", options.report, network_search_page(scenario, search));
  if (options.format == Format::json) return network_search_json(search, provenance_of(scenario));
  if (options.format == Format::csv) return network_search_csv(search);
  return network_search_text(search);
}

std::string answer_of(const NetworkOptions& options, const Scenario& scenario) {
  if (options.optimize) return run_search(options, scenario);
  if (!options.route.empty()) return run_route(options, scenario);
  if (!options.traffic.empty()) return run_loads(options, scenario);
  const auto answers = answer_networks(scenario, options.design);
  if (!options.report.empty()) write_announced("report", options.report, network_page(scenario, answers));
  if (options.format == Format::json) return networks_json(answers, provenance_of(scenario));
  if (options.format == Format::csv) return networks_csv(answers);
  return networks_text(answers);
}

std::string run_network(const NetworkOptions& options) {
  if (!options.seed.empty() && options.route.empty() && options.traffic.empty())
    fail_input(whole("--seed"), "nothing here is drawn or hashed", "only with --traffic or --route");
  if (!options.seed.empty() && options.route.empty() && !is_drawn(options.traffic))
    fail_input(whole("--seed"), "traffic '" + options.traffic + "' is not drawn", "--traffic permutation");
  const Scenario scenario = load(options).resolve();
  if (!options.optimize) refuse_sections(options, {"optimize"}, "--optimize");
  if (options.traffic != "rail") refuse_sections(options, {"rail"}, "--traffic rail");
  if (!options.report.empty()) check_writable(options.report);
  std::string answer = answer_of(options, scenario);
  write_pictures(options, scenario);
  warn_of_domains_left_out(scenario);
  return answer;
}

}  // namespace

Verb network_verb() {
  return make_verb("network", "count, price and compare network designs, or find the cheapest",
                   declare_network, run_network);
}

}  // namespace trainyard
