#include "trainyard/report/simulation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/data/simulation_figures.h"
#include "trainyard/simulation_progress.h"
#include "trainyard/simulation_result.h"

namespace trainyard {
namespace {

std::string show(Picoseconds time) {
  return show(Seconds(static_cast<double>(time) / kPicosecondsPerSecond));
}

std::string time_row(const char* name, Seconds time, double slowdown) {
  return fmt::format("   {:<10} {:>12} {:>9.3f}\n", name, show(time), slowdown);
}

/// The first few, and how many more.
std::string unfinished_line(const SimulationResult& r) {
  constexpr std::size_t kNamed = 10;
  const std::vector<std::size_t> flows = unfinished_flows(r);
  if (flows.empty()) return {};
  std::string out = "   not finished: flow";
  for (std::size_t i = 0; i < std::min(flows.size(), kNamed); ++i)
    out += (i == 0 ? " " : ", ") + std::to_string(flows[i]);
  if (flows.size() > kNamed) out += fmt::format(" and {} more", show_count(flows.size() - kNamed));
  return out + "\n";
}

std::string completion_section(const SimulationResult& r) {
  std::string out = fmt::format("completion times ({} of {} finished)\n", show_count(r.counters.finished),
                                counted(show_count(r.flows.size()), "flow"));
  if (r.counters.finished > 0) {
    out += fmt::format("   {:<10} {:>12} {:>9}   each flow over its own least\n", "", "time", "slowdown");
    out += time_row("mean", r.mean, r.mean_slowdown) + time_row("median", r.median, r.median_slowdown) +
           time_row("p99", r.p99, r.p99_slowdown) + time_row("longest", r.longest, r.largest_slowdown);
  }
  out += fmt::format("   {:<10} {:>12} {:>9}   of the largest flow alone\n", "least", show(r.ideal), "");
  return out + unfinished_line(r);
}

std::string missing_line(const Missing& missing) {
  return fmt::format("   missing    {} of {} never arrived, in {}\n", show(missing.bytes), show(missing.sent),
                     counted(show_count(missing.flows), "flow"));
}

std::string network_section(const SimulationResult& r) {
  const packet::Counters& c = r.counters;
  std::string out = fmt::format("network, until {}\n", show(r.end));
  if (!r.packets)
    return out + fmt::format("   rates      max-min fair, {}\n", counted(show_count(c.events), "event"));
  out += fmt::format("   packets    {} packet-hops, {}\n", show_count(c.hops),
                     counted(show_count(c.hops + c.events), "event"));
  out += fmt::format("   lost       {} cut, {} dropped, {} corrupted; {} sent again, {}\n",
                     show_count(c.trims), show_count(c.drops), show_count(c.corrupted), show_count(c.repeats),
                     counted(show_count(c.timeouts), "timeout"));
  if (c.duplicates > 0)
    out += fmt::format("   again      {} delivered that had been delivered before\n",
                       counted(show_count(c.duplicates), "packet"));
  if (!r.lost_bytes.empty()) out += missing_line(missing_of(r));
  if (c.replays > 0)
    out += fmt::format("   replays    {} sent again by links\n", counted(show_count(c.replays), "packet"));
  out += fmt::format("   marks      {}\n", show_count(c.marks));
  out += fmt::format("   pauses     {}: ports paused for {}, of it with packets waiting for {}, summed\n",
                     show_count(c.pauses), show(c.paused), show(c.blocked));
  return out + fmt::format("   queue      at most {} of data at one port\n",
                           show(static_cast<double>(c.longest_queue), Unit::bytes));
}

std::string links_section(const SimulationResult& r) {
  if (r.up.empty()) return {};
  const std::vector<LinkShare> links = link_shares(r);
  std::size_t width = 15;
  for (const LinkShare& link : links) width = std::max(width, link.name().size() + 1);
  std::string out = fmt::format("{:<{}}{:>9}{:>10}\n", "use of the links", width + 3, "mean", "busiest");
  for (const LinkShare& link : links)
    out += fmt::format("   {:<{}}{:>9}{:>10}\n", link.name(), width, show_share(link.mean),
                       show_share(link.busiest));
  return out + "\n";
}

/// The probes with the longest queues; all samples are in the file of --series.
std::string probes_section(const SimulationResult& r) {
  constexpr std::size_t kShownPorts = 12;
  std::vector<SeriesSummary> ports;
  std::size_t width = 15;
  for (const packet::ProbeSeries& series : r.series) {
    if (!series.probe.of_flow) ports.push_back(summary_of(series));
  }
  if (ports.empty()) return {};
  std::stable_sort(ports.begin(), ports.end(), [](const SeriesSummary& a, const SeriesSummary& b) {
    return a.longest_queue > b.longest_queue;
  });
  const std::size_t more = ports.size() - std::min(ports.size(), kShownPorts);
  ports.resize(ports.size() - more);
  for (const SeriesSummary& s : ports) width = std::max(width, s.name.size() + 1);
  std::string out = fmt::format("{:<{}}{:>12}{:>12}{:>9}{:>9}{:>9}{:>9}\n", "probes", width + 3, "mean queue",
                                "longest", "use", "marked", "cut", "dropped");
  for (const SeriesSummary& s : ports)
    out += fmt::format("   {:<{}}{:>12}{:>12}{:>9}{:>9}{:>9}{:>9}\n", s.name, width, show(s.mean_queue),
                       show(s.longest_queue), show_share(s.use), show_count(s.marks), show_count(s.trims),
                       show_count(s.drops));
  if (more > 0) out += fmt::format("   and {} more with shorter queues\n", show_count(more));
  return out + "\n";
}

std::string cost_line(const SimulationResult& r, const RunCost& cost) {
  if (!r.packets) return fmt::format("{} of processor time\n", show(cost.cpu));
  const double hops = std::max(static_cast<double>(r.counters.hops), 1.0);
  return fmt::format("{} of processor time, {:.1f} ns a packet-hop, {} of memory\n", show(cost.cpu),
                     cost.cpu.si() * 1e9 / hops, show(static_cast<double>(r.bytes), Unit::bytes));
}

}  // namespace

std::string simulation_text(const SimulationResult& r, const RunCost& cost) {
  return simulation_subject(r) + "\n\n" + completion_section(r) + "\n" + network_section(r) + "\n" +
         links_section(r) + probes_section(r) + cost_line(r, cost);
}

std::string progress_text(const SimulationProgress& p, Seconds wall) {
  // Flows of one size end together: bytes tell more. They include repeats, and flows may have none.
  const double by_flows =
      p.flows == 0 ? 0 : static_cast<double>(p.flows_finished) / static_cast<double>(p.flows);
  const double by_bytes = p.bytes.si() > 0 ? p.delivered / p.bytes : 0;
  const double share = std::clamp(std::max(by_flows, by_bytes), 0.0, 1.0);
  std::string out =
      fmt::format("{} of {}, {} simulated, {:.0f}% of the bytes", show_count(p.flows_finished),
                  counted(show_count(p.flows), "flow"), show(p.now), std::min(by_bytes, 1.0) * 100);
  if (wall.si() <= 0) return out;
  out += fmt::format(", {} events/s", show(static_cast<double>(p.events) / wall.si(), Unit::number));
  if (share > 0) out += fmt::format(", {} left", show(wall * ((1 - share) / share)));
  return out;
}

}  // namespace trainyard
