#include "report/simulation_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }

std::string time_row(const char* name, Seconds time, Seconds ideal) {
  return fmt::format("   {:<8} {:>12}   {:.3f} x the least\n", name, show(time), time / ideal);
}

/// Seconds of a time, or nothing when it never came.
std::string moment(packet::Picoseconds time) {
  return time == packet::kNever ? "" : number_text(static_cast<double>(time) / packet::kPicosecondsPerSecond);
}

}  // namespace

std::string simulation_text(const SimulationResult& r, const RunCost& cost) {
  std::string out = fmt::format("{} flows on {}: {} hosts at {}\n\n", r.flows.size(), r.design, r.hosts,
                                format_quantity(r.link_rate.si(), Unit::bits_per_second));
  out += fmt::format("completion times ({} of {} flows finished)\n", r.counters.finished, r.flows.size());
  out += time_row("mean", r.mean, r.ideal) + time_row("median", r.median, r.ideal) +
         time_row("p99", r.p99, r.ideal) + time_row("longest", r.longest, r.ideal);
  out += fmt::format("   {:<8} {:>12}   of the largest flow alone\n\n", "least", show(r.ideal));
  out += fmt::format(
      "{} packet-hops, {} cut, {} dropped, {} timeouts; at most {} data packets waited at a port\n",
      format_quantity(static_cast<double>(r.counters.hops), Unit::count), r.counters.trims, r.counters.drops,
      r.counters.timeouts, r.counters.longest_queue);
  out += fmt::format("{} of processor time, {:.1f} ns a packet-hop, {} of memory\n", show(cost.cpu),
                     cost.cpu.si() * 1e9 / static_cast<double>(r.counters.hops),
                     format_quantity(static_cast<double>(r.bytes), Unit::bytes));
  return out;
}

std::string simulation_json(const SimulationResult& r, const RunCost& cost, const Scenario& scenario) {
  Json json = {
      {"design", r.design},
      {"hosts", r.hosts},
      {"link_rate_bps", r.link_rate.si()},
      {"flows", r.flows.size()},
      {"flows_finished", r.counters.finished},
      {"fct_s",
       {{"mean", r.mean.si()}, {"p50", r.median.si()}, {"p99", r.p99.si()}, {"max", r.longest.si()}}},
      {"ideal_s", r.ideal.si()},
      {"slowdown", r.mean / r.ideal},
      {"simulated_s", r.end.si()},
      {"packet_hops", r.counters.hops},
      {"drops", r.counters.drops},
      {"trims", r.counters.trims},
      {"timeouts", r.counters.timeouts},
      {"longest_queue", r.counters.longest_queue},
      {"engine_bytes", r.bytes},
      {"cpu_s", cost.cpu.si()},
      {"wall_s", cost.wall.si()},
      {"peak_rss_bytes", cost.peak_rss_bytes}};
  json["settings_hash"] = simulation_hash(scenario);
  json["provenance"] = provenance_json(provenance_of(scenario));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string simulation_csv(const SimulationResult& r) {
  std::string out = "flow,from,to,bytes,start_s,received_s,finished_s\n";
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const packet::Flow& flow = r.flows[f];
    out += fmt::format("{},{},{},{},{},{},{}\n", f, flow.from, flow.to, flow.bytes, moment(flow.start),
                       moment(flow.received), moment(flow.finished));
  }
  return out;
}

}  // namespace trainyard
