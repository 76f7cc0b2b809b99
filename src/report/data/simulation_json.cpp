#include <limits>

#include "report/data/json.h"
#include "report/data/simulation_figures.h"
#include "scenario/choices/simulation.h"
#include "trainyard/provenance.h"
#include "trainyard/report/simulation.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

double seconds(Picoseconds time) { return static_cast<double>(time) / kPicosecondsPerSecond; }

Json quantiles(const SimulationResult& r) {
  Json out = Json::array();
  for (const Seconds time : r.quantiles) out.push_back(time.si());
  return out;
}

/// Completion times and slowdowns; null while no flow has finished.
Json completion(const SimulationResult& r) {
  const auto known = [&](double v) { return r.counters.finished > 0 ? Json(v) : Json(nullptr); };
  return {{"fct_s",
           {{"mean", known(r.mean.si())},
            {"p50", known(r.median.si())},
            {"p99", known(r.p99.si())},
            {"max", known(r.longest.si())}}},
          {"fct_quantiles_s", quantiles(r)},
          {"ideal_s", r.ideal.si()},
          {"slowdown",
           {{"mean", known(r.mean_slowdown)},
            {"median", known(r.median_slowdown)},
            {"p99", known(r.p99_slowdown)},
            {"largest", known(r.largest_slowdown)}}}};
}

/// What only packets have.
Json packet_statistics(const SimulationResult& r) {
  const packet::Counters& c = r.counters;
  Json out = {{"packet_hops", c.hops},
              {"drops", c.drops},
              {"overflows", c.overflows},
              {"trims", c.trims},
              {"marks", c.marks},
              {"pauses", c.pauses},
              {"paused_s", seconds(c.paused)},
              {"blocked_s", seconds(c.blocked)},
              {"corrupted", c.corrupted},
              {"repeats", c.repeats},
              {"replays", c.replays},
              {"timeouts", c.timeouts},
              {"longest_queue_bytes", c.longest_queue}};
  if (!r.packets) {
    for (auto& [key, value] : out.items()) value = nullptr;
  }
  return out;
}

Json statistics(const SimulationResult& r) {
  Json out = {{"simulated_s", r.end.si()}, {"events", r.counters.hops + r.counters.events}};
  out.update(packet_statistics(r));
  return out;
}

/// What a delivery mode leaves behind; only where one was asked for.
Json delivery(const SimulationResult& r, Delivery mode) {
  Json out = {{"mode", choice_name(mode)}};
  if (mode == Delivery::rudi) out["delivered_again"] = r.counters.duplicates;
  if (mode != Delivery::uud) return out;
  const Missing missing = missing_of(r);
  out["lost_bytes"] = static_cast<std::uint64_t>(missing.bytes.si());
  out["flows_that_lost"] = missing.flows;
  return out;
}

Json link_use(const SimulationResult& r) {
  Json out = Json::array();
  for (const LinkShare& link : link_shares(r)) {
    out.push_back({{"tier", link.tier},
                   {"direction", link.direction},
                   {"bytes", static_cast<std::uint64_t>(link.bytes.si())},
                   {"utilization_mean", link.mean},
                   {"utilization_max", link.busiest}});
  }
  return out;
}

Json series(const std::vector<TimedBytes>& points) {
  Json out = Json::array();
  for (const TimedBytes& p : points)
    out.push_back({{"time_s", p.time.si()}, {"bytes", static_cast<std::uint64_t>(p.bytes.si())}});
  return out;
}

/// What probes have seen in all; the samples themselves are for --series.
Json probes(const SimulationResult& r) {
  Json out = Json::array();
  for (const packet::ProbeSeries& series : r.series) {
    const SeriesSummary s = summary_of(series);
    Json one = {{"probe", s.name}, {"samples", s.samples}};
    if (series.probe.of_flow) {
      one["received_bytes"] = series.flow.empty() ? 0 : series.flow.back().received_bytes;
    } else {
      one.update({{"queue_bytes_mean", s.mean_queue.si()},
                  {"queue_bytes_max", s.longest_queue.si()},
                  {"sent_bytes", s.sent.si()},
                  {"utilization", s.use},
                  {"marks", s.marks},
                  {"trims", s.trims},
                  {"drops", s.drops},
                  {"lost", s.lost}});
    }
    out.push_back(std::move(one));
  }
  return out;
}

/// What differs from run to run, apart from what was computed.
Json run_cost(const SimulationResult& r, const RunCost& cost) {
  return {{"cpu_s", cost.cpu.si()},
          {"wall_s", cost.wall.si()},
          {"peak_rss_bytes", cost.peak_rss_bytes},
          {"engine_bytes", r.packets ? Json(r.bytes) : Json(nullptr)}};
}

}  // namespace

std::string identity_json(const Scenario& scenario) {
  Json settings;
  for (const auto& [key, value] : simulation_settings(scenario)) settings[key] = value;
  return dumped({{"settings_hash", simulation_hash(scenario)},
                 {"engine_behaviour", kEngineBehaviour},
                 {"settings", settings}});
}

std::string simulation_json(const SimulationResult& r, const RunCost& cost, const Scenario& scenario) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max() / 2;
  Json json = {{"network", r.packets ? "packet" : "flow"},
               {"design", r.design},
               {"hosts", r.hosts},
               {"planes", r.planes},
               {"link_rate_bps", r.link_rate.si()},
               {"flows", r.flows.size()},
               {"flows_finished", r.counters.finished}};
  json.update(completion(r));
  json.update(statistics(r));
  if (scenario.simulation.delivery) json["delivery"] = delivery(r, *scenario.simulation.delivery);
  json["link_use"] = r.up.empty() ? Json(nullptr) : link_use(r);
  json["settings_hash"] = simulation_hash(scenario);
  json["engine_behaviour"] = kEngineBehaviour;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["queue_over_time"] = r.packets ? series(queue_over_time(r, kAll)) : Json(nullptr);
  json["delivered_over_time"] = r.packets ? series(delivered_over_time(r, kAll)) : Json(nullptr);
  if (!r.series.empty()) json["probes"] = probes(r);
  json["warnings"] = r.warnings;
  json["run"] = run_cost(r, cost);
  return dumped(json);
}

}  // namespace trainyard
