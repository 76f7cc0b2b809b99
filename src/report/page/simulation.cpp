#include "trainyard/report/simulation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/data/simulation_figures.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "scenario/sections.h"
#include "scenario/transport_sections.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation_result.h"

namespace trainyard {
namespace {

std::string show(Picoseconds time) {
  return show(Seconds(static_cast<double>(time) / kPicosecondsPerSecond));
}
std::string times(double slowdown) { return fmt::format("{:.3f} x", slowdown); }

/// "all 1,024" or "7 of 1,024".
std::string finished_of_all(const SimulationResult& r) {
  const bool all = r.counters.finished == r.flows.size();
  return (all ? "all" : show_count(r.counters.finished) + " of") + " " + show_count(r.flows.size());
}

PageFacts headline(const SimulationResult& r) {
  PageFacts out = {{"flows finished", finished_of_all(r)}};
  if (r.counters.finished > 0) {
    const PageFacts finished = {{"mean completion time", show(r.mean)},
                                {"median", show(r.median)},
                                {"p99", show(r.p99)},
                                {"longest", show(r.longest)},
                                {"mean slowdown", times(r.mean_slowdown)},
                                {"p99 slowdown", times(r.p99_slowdown)}};
    out.insert(out.end(), finished.begin(), finished.end());
  }
  out.emplace_back("least, largest flow alone", show(r.ideal));
  return out;
}

/// What only some delivery modes have.
void add_delivery(PageFacts& out, const SimulationResult& r) {
  if (r.counters.duplicates > 0)
    out.emplace_back("packets delivered that had been delivered before", show_count(r.counters.duplicates));
  if (r.lost_bytes.empty()) return;
  const Missing missing = missing_of(r);
  out.emplace_back("bytes that never arrived", show(missing.bytes));
  out.emplace_back("flows that lack bytes", show_count(missing.flows));
}

PageFacts statistics(const SimulationResult& r, const RunCost& cost) {
  const packet::Counters& c = r.counters;
  if (!r.packets)
    return {{"simulated time", show(r.end)},
            {"events", show_count(c.events)},
            {"processor time of the run", show(cost.cpu)}};
  PageFacts out = {
      {"simulated time", show(r.end)},
      {"packet-hops", show_count(c.hops)},
      {"events", show_count(c.hops + c.events)},
      {"payloads cut off", show_count(c.trims)},
      {"packets dropped", show_count(c.drops)},
      {"packets corrupted, or lost on links that are down", show_count(c.corrupted)},
      {"packets sent again", show_count(c.repeats)},
      {"packets that links sent again", show_count(c.replays)},
      {"timeouts", show_count(c.timeouts)},
      {"congestion marks", show_count(c.marks)},
      {"pauses", show_count(c.pauses)},
      {"time that ports were paused, summed", show(c.paused)},
      {"of it, with packets waiting", show(c.blocked)},
      {"longest queue of data at one port", show(static_cast<double>(c.longest_queue), Unit::bytes)},
      {"processor time of the run", show(cost.cpu)}};
  add_delivery(out, r);
  return out;
}

/// A setting as TOML writes it, without the quotes.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// What shaped the run: the design, [simulation], failures, and the transport's own section.
PageFacts settings(const SimulationResult& r, const Scenario& scenario) {
  std::vector<std::string> wanted = {"design." + r.design + ".", "simulation.", "failure.", "probe."};
  const auto sections = transport_sections(scenario.simulation.transport);
  if (!sections.empty()) wanted.push_back(sections.front() + ".");
  PageFacts out;
  for (const auto& [key, text] : scenario_settings(scenario)) {
    const bool matters = std::any_of(wanted.begin(), wanted.end(), [&key = key](const std::string& start) {
      return key.starts_with(start);
    });
    const std::string value = unquoted(text);
    if (matters && (!value.empty() || key.starts_with("simulation."))) out.emplace_back(key, value);
  }
  return out;
}

std::string link_bar(const LinkShare& link) {
  const double mean = std::min(link.mean, 1.0);
  const double more = std::clamp(link.busiest, mean, 1.0) - mean;
  return fmt::format(
      "<div class=\"bar\"><p>{}: mean {}, busiest {}</p><div class=\"stack\">"
      "<span style=\"width:{:.2f}%;background:{}\"></span><span style=\"width:{:.2f}%;background:{}\"></span>"
      "</div></div>\n",
      escape_markup(link.name()), show_share(link.mean), show_share(link.busiest), 100 * mean,
      series_colour(0), 100 * more, series_colour(4));
}

std::string links(const SimulationResult& r) {
  if (r.up.empty()) return {};
  std::string out;
  for (const LinkShare& link : link_shares(r)) out += link_bar(link);
  return out + fmt::format(
                   "<div class=\"key\"><span><i style=\"background:{}\"></i>mean of the links</span>"
                   "<span><i style=\"background:{}\"></i>the busiest link</span></div>\n",
                   series_colour(0), series_colour(4));
}

std::string warnings(const SimulationResult& r) {
  const auto line = [](const std::string& text) {
    return fmt::format("<p class=\"warning\">{}.</p>\n", escape_markup(text));
  };
  std::string out;
  if (const std::size_t missing = unfinished_flows(r).size())
    out += line(fmt::format("{} of {} did not finish", show_count(missing),
                            counted(show_count(r.flows.size()), "flow")));
  for (const std::string& warning : r.warnings) out += line(warning);
  return out;
}

}  // namespace

std::string simulation_page(const SimulationResult& r, const RunCost& cost, const Scenario& scenario) {
  return page("simulation",
              {.kind = "packet simulation",
               .title = page_title(scenario),
               .subject = simulation_subject(r),
               .cards = headline(r),
               .footer = page_footer(scenario)},
              {{"warnings", warnings(r)},
               {"links", links(r)},
               {"statistics", page_facts(statistics(r, cost))},
               {"settings", page_facts(settings(r, scenario))}},
              simulation_charts(r));
}

}  // namespace trainyard
