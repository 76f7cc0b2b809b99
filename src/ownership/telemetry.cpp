#include "ownership/telemetry.h"

#include "ownership/phases.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"

namespace trainyard::ownership {

double watched_ports(const Scenario& scenario) {
  const NetworkDesign design = designs_of(scenario).front();
  const DesignCounts counts = count(design);
  return static_cast<double>(design.datacenters) * static_cast<double>(counts.ports_used + counts.host_links);
}

/// A part falls silent anywhere between two samples; the alarm comes with the last of `samples` that miss it.
std::vector<Watch> watches_of(const Plan& plan, const OwnershipInput& settings, double ports) {
  auto c = case_of_life(plan, settings);
  const double sample_bytes =
      ports * static_cast<double>(settings.counters) * static_cast<double>(settings.counter_bytes);
  std::vector<Watch> out;
  for (const double interval_s : settings.intervals_s) {
    Watch watch;
    watch.interval = Seconds(interval_s);
    watch.rate = BytesPerSecond(sample_bytes / interval_s);
    watch.kept = Bytes(sample_bytes / interval_s * settings.retention.si());
    watch.detection = watch.interval * (static_cast<double>(settings.samples) - 0.5) + settings.processing;
    if (c) {
      c->hang_detection = watch.detection;
      watch.useful = goodput_form(*c).ettr;
    }
    out.push_back(watch);
  }
  return out;
}

}  // namespace trainyard::ownership
