#include "ownership/telemetry.h"

#include <fmt/core.h>

#include <limits>

#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard::ownership {

double ports_of(const Scenario& scenario) {
  const NetworkDesign design = designs_of(scenario).front();
  const DesignCounts counts = count(design);
  return static_cast<double>(design.datacenters) * static_cast<double>(counts.ports_used + counts.host_links);
}

namespace {

/// What is watched of phases: their ports, or their devices where ports of a phase are not known.
double size_of(const OwnershipAnswer& answer, std::span<const std::size_t> phases) {
  const bool known = std::all_of(answer.phases.begin(), answer.phases.end(),
                                 [](const OwnedPhase& phase) { return phase.ports.has_value(); });
  double out = 0;
  for (const std::size_t i : phases)
    out += known ? *answer.phases[i].ports : static_cast<double>(answer.phases[i].devices);
  return out;
}

/// Phases that serve at a time.
std::vector<std::size_t> serving_at(const OwnershipAnswer& answer, Seconds time) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < answer.phases.size(); ++i)
    if (answer.phases[i].serves <= time && time < answer.phases[i].retires) out.push_back(i);
  return out;
}

/// The most are there when one of them has begun to serve, until the horizon.
std::vector<std::size_t> most_at_a_time(const OwnershipAnswer& answer, Seconds horizon) {
  std::vector<std::size_t> out;
  for (const OwnedPhase& newest : answer.phases) {
    if (newest.serves >= horizon) continue;
    std::vector<std::size_t> there = serving_at(answer, newest.serves);
    if (size_of(answer, there) > size_of(answer, out)) out = std::move(there);
  }
  return out;
}

/// Share of the time of the watched phases' devices when hangs are seen so late.
std::optional<double> useful_when(const OwnershipAnswer& answer, std::span<const BuiltPhase> phases,
                                  Seconds detection) {
  double useful = 0;
  double devices = 0;
  for (const std::size_t i : answer.watched) {
    if (!phases[i].life) return std::nullopt;
    GoodputCase c = *phases[i].life;
    c.hang_detection = detection;
    const auto many = static_cast<double>(phases[i].owned.devices);
    useful += many * goodput_form(c).ettr;
    devices += many;
  }
  return useful / devices;
}

/// Of those that are watched, or of as many as the settings say; the first of them without says why there are
/// none.
void count_ports(OwnershipAnswer& answer, std::span<const BuiltPhase> phases) {
  answer.ports = answer.settings.ports;
  if (answer.ports) return;
  double ports = 0;
  for (const std::size_t i : answer.watched) {
    const BuiltPhase& phase = phases[i];
    if (!phase.owned.ports) {
      answer.no_ports = phases.size() > 1 ? fmt::format("phase '{}': {}", phase.owned.name, phase.no_ports)
                                          : phase.no_ports;
      answer.watched.clear();
      return;
    }
    ports += *phase.owned.ports;
  }
  answer.ports = ports;
}

}  // namespace

void watch(OwnershipAnswer& answer, std::span<const BuiltPhase> phases) {
  constexpr double kEver_s = std::numeric_limits<double>::infinity();
  answer.watched = most_at_a_time(answer, answer.settings.horizon);
  if (answer.watched.empty()) answer.watched = most_at_a_time(answer, Seconds(kEver_s));
  count_ports(answer, phases);
  if (!answer.ports) return;
  const OwnershipInput& settings = answer.settings;
  const double sample_bytes =
      *answer.ports * static_cast<double>(settings.counters) * static_cast<double>(settings.counter_bytes);
  for (const double interval_s : settings.intervals_s) {
    Watch watch;
    watch.interval = Seconds(interval_s);
    watch.rate = BytesPerSecond(sample_bytes / interval_s);
    watch.kept = Bytes(sample_bytes / interval_s * settings.retention.si());
    // A part falls silent anywhere between two samples; the alarm comes with the last of those that miss it.
    watch.detection = watch.interval * (static_cast<double>(settings.samples) - 0.5) + settings.processing;
    watch.useful = useful_when(answer, phases, watch.detection);
    answer.watches.push_back(watch);
  }
}

}  // namespace trainyard::ownership
