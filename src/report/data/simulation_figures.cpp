#include "report/data/simulation_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/counted.h"
#include "trainyard/quantity_text.h"
#include "trainyard/simulation_result.h"

namespace trainyard {
namespace {

/// Of hosts (0) and switches (from 1 up).
std::string tier_name(std::size_t tier) {
  constexpr std::array<const char*, 3> kNames = {"hosts", "leaf", "aggregation"};
  return tier < kNames.size() ? kNames[tier] : fmt::format("tier {}", tier);
}

LinkShare share_of(std::string tier, std::string_view direction, const packet::LinkUse& use, Seconds time) {
  LinkShare out{std::move(tier), direction, Bytes(static_cast<double>(use.bytes)), 0, 0};
  if (use.ports == 0 || use.picoseconds_per_byte == 0 || time.si() <= 0) return out;
  const Bytes capacity(time.si() * kPicosecondsPerSecond / use.picoseconds_per_byte);
  out.mean = out.bytes / capacity / use.ports;
  out.busiest = static_cast<double>(use.most_bytes) / capacity.si();
  return out;
}

/// How many moments are merged so that at most `most` remain.
std::size_t merged(const SimulationResult& r, std::size_t most) {
  return std::max<std::size_t>((r.moments.size() + most - 1) / most, 1);
}

}  // namespace

std::vector<LinkShare> link_shares(const SimulationResult& r) {
  std::vector<LinkShare> out;
  const bool named = !r.link_names.empty();
  const auto add = [&](std::size_t t, std::string_view direction, const packet::LinkUse& use) {
    if (named && use.ports == 0) return;
    const bool alike = named && r.down[t].ports == 0;
    out.push_back(share_of(named ? r.link_names[t] : tier_name(t), alike ? "both" : direction, use, r.end));
  };
  for (std::size_t t = 0; t < r.up.size(); ++t) add(t, "up", r.up[t]);
  for (std::size_t t = r.down.size(); t-- > 0;) add(t, "down", r.down[t]);
  return out;
}

std::vector<TimedBytes> queue_over_time(const SimulationResult& r, std::size_t most) {
  const std::size_t each = merged(r, most);
  std::vector<TimedBytes> out;
  for (std::size_t i = 0; i < r.moments.size(); ++i) {
    if (i % each == 0) out.push_back({r.moments[i].begin, Bytes(0)});
    out.back().bytes = std::max(out.back().bytes, r.moments[i].longest_queue);
  }
  return out;
}

std::vector<TimedBytes> delivered_over_time(const SimulationResult& r, std::size_t most) {
  if (r.moments.empty()) return {};
  const std::size_t each = merged(r, most);
  std::vector<TimedBytes> out = {{r.moments.front().begin, Bytes(0)}};
  for (std::size_t i = 0; i < r.moments.size(); i += each) {
    const std::size_t next = std::min(i + each, r.moments.size());
    const Seconds until = next < r.moments.size() ? r.moments[next].begin : r.end;
    out.push_back({until, r.moments[next - 1].delivered});
  }
  return out;
}

SeriesSummary summary_of(const packet::ProbeSeries& series) {
  SeriesSummary out;
  out.name = series.probe.name;
  out.samples = series.probe.of_flow ? series.flow.size() : series.queue.size();
  double queue = 0;
  Picoseconds busy = 0;
  Picoseconds span = 0;
  for (const packet::QueueSample& s : series.queue) {
    if (s.span > 0) queue += static_cast<double>(s.queue_bytes);
    out.longest_queue = std::max(out.longest_queue, Bytes(static_cast<double>(s.longest_bytes)));
    out.sent += Bytes(static_cast<double>(s.sent_bytes));
    busy += s.busy;
    span += s.span;
    out.marks += s.marks;
    out.trims += s.trims;
    out.drops += s.drops;
    out.lost += s.lost;
  }
  if (series.queue.size() > 1) out.mean_queue = Bytes(queue / static_cast<double>(series.queue.size() - 1));
  if (span > 0) out.use = static_cast<double>(busy) / static_cast<double>(span);
  return out;
}

Missing missing_of(const SimulationResult& r) {
  Missing out;
  double sent = 0;
  double lost = 0;
  for (std::size_t f = 0; f < r.lost_bytes.size(); ++f) {
    sent += static_cast<double>(r.flows[f].bytes);
    lost += static_cast<double>(r.lost_bytes[f]);
    out.flows += r.lost_bytes[f] > 0 ? 1 : 0;
  }
  out.sent = Bytes(sent);
  out.bytes = Bytes(lost);
  return out;
}

std::vector<std::size_t> unfinished_flows(const SimulationResult& r) {
  std::vector<std::size_t> out;
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    if (r.flows[f].finished == kNever) out.push_back(f);
  }
  return out;
}

std::string simulation_subject(const SimulationResult& r) {
  const auto count = [](double n) { return format_quantity(n, Unit::count); };
  const std::string rate = format_quantity(r.link_rate.si(), Unit::bits_per_second);
  std::string out = fmt::format("{} on {}: {} ", counted(count(static_cast<double>(r.flows.size())), "flow"),
                                r.design, counted(count(static_cast<double>(r.hosts)), "host"));
  return out +=
         r.planes > 1 ? fmt::format("in {}, at {} in each", counted(r.planes, "plane"), rate) : "at " + rate;
}

}  // namespace trainyard
