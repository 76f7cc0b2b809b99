#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "base/divisors.h"
#include "scenario/checks.h"
#include "scenario/choices/resilience.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostPeriod_s = 10 * 365 * 86400.0;
constexpr Range kTime = between(0, FailureSet::kMostTime_s);  // as those that they stand for
constexpr double kMostRuns = 1e6;

}  // namespace

const FieldTable<ResilienceInput>& resilience_fields() {
  using R = ResilienceInput;
  static const FieldTable<R> table = {
      field("failures", &R::failures, "Catalog key of the rates and habits of repair."),
      field("age", &R::age, kTime, "Age of all parts when the run begins."),
      field("period", &R::period, between(60, kMostPeriod_s), "Time that is simulated."),
      field("runs", &R::runs, between(1, kMostRuns), "Runs of the simulation."),
      field("seed", &R::seed, between(0, 9e15), "Of its random streams."),
      field("host_devices", &R::host_devices, between(1, 1e4),
            "Accelerators of a server, which is swapped and repaired as one.")
          .otherwise("those of the HB domain's servers or trays"),
      field("rack_hosts", &R::rack_hosts, between(1, 1e4), "Servers of a rack, which share its power.")
          .otherwise("those that the HB domain's racks hold"),
      field("feed_racks", &R::feed_racks, between(1, 1e4), "Racks of one power feed and cooling loop."),
      field("spares", &R::spares, between(0, 1e6), "Spare servers."),
      field("spare_kind", &R::spare_kind, "Whether spares run."),
      field("shrink", &R::shrink, "Whether it trains with fewer replicas while servers lack."),
      field("least_replicas", &R::least_replicas, share(),
            "Share of the replicas below which it waits for repair."),
      field("reroute", &R::reroute,
            "Whether it trains on, more slowly, where a failed part of the network leaves other ways."),
      field(
          "forward", &R::forward,
          "Whether devices that lose their link send through the others of their HB domain, at the share of "
          "its links that is left."),
      field("crews", &R::crews, between(0, 1e6), "Servers under repair at a time; 0: all."),
      field("checkpoint", &R::checkpoint, "Where checkpoints go."),
      field("asynchronous", &R::asynchronous,
            "Whether training goes on while a checkpoint is written; it stops for the copy to host memory."),
      field("interval", &R::interval, positive(), "Training time between checkpoints.")
          .otherwise("the one with the most useful time"),
      field("backup_every", &R::backup_every, between(1, 1e6),
            "Of checkpoints that do not go to the file system, every so manieth does, too."),
      field("file_rate", &R::file_rate, positive(), "Rate of the file system, all writers together.")
          .otherwise("2 TB/s for 16,384 devices, as Llama 3 had, in proportion"),
      field("disk_rate", &R::disk_rate, positive(), "Rate of a server's disks.")
          .from("two PCIe 4.0 drives, written in sequence"),
      field("write_time", &R::write_time, kTime, "Time to write a checkpoint.").otherwise("bytes over rates"),
      field("detection", &R::detection, kTime, "Time until a failure with an error is seen.")
          .otherwise("that of the failure set"),
      field("hang_detection", &R::hang_detection, kTime, "Time until a hang is seen.")
          .otherwise("that of the failure set"),
      field("restart", &R::restart, kTime, "Time of a restart, without reading the checkpoint.")
          .otherwise("that of the failure set"),
      field("manual_share", &R::manual_share, between(0, 1), "Share of failures that need people.")
          .otherwise("that of the failure set"),
  };
  return table;
}

ResilienceInput resilience_of(const Scenario& scenario) {
  ResilienceInput out = scenario.resilience.value_or(ResilienceInput{});
  const HbDomain* domain = scenario.catalog->hb_domains.find(scenario.facility.hb_domain);
  if (!out.host_devices) out.host_devices = domain ? domain->host_devices : kUsualServerDevices;
  if (out.rack_hosts) return out;
  out.rack_hosts = kUsualRackServers;
  if (!domain) return out;
  const double rack_devices = static_cast<double>(domain->devices) / domain->racks;
  out.rack_hosts =
      std::max<std::int64_t>(1, std::llround(rack_devices / static_cast<double>(*out.host_devices)));
  return out;
}

namespace {

/// A server lies in one HB domain of the facility or of a phase, or holds several.
void check_servers(const Scenario& scenario, const std::string& key, const Table& document,
                   Findings& findings) {
  const HbDomain* domain = scenario.catalog->hb_domains.find(key);
  const std::optional<std::int64_t> own = scenario.resilience->host_devices;
  if (!domain || !own || domain->devices % *own == 0 || *own % domain->devices == 0) return;
  findings.add(
      locate(document, "resilience.host_devices", scenario.source_name),
      fmt::format("servers of {} accelerators do not make up HB domains of {}", *own, domain->devices),
      fmt::format("allowed: {}, or a multiple of {}", divisors_text(domain->devices), domain->devices));
}

}  // namespace

void check_resilience(const Scenario& scenario, const Table& document, Findings& findings) {
  if (!scenario.resilience) return;
  std::set<std::string> domains = {scenario.facility.hb_domain};
  for (const PhaseInput& phase : scenario.phases)
    if (!phase.hb_domain.empty()) domains.insert(phase.hb_domain);
  for (const std::string& domain : domains) check_servers(scenario, domain, document, findings);
  const std::string& key = scenario.resilience->failures;
  if (scenario.catalog->failures.contains(key)) return;
  findings.add(locate(document, "resilience.failures", scenario.source_name),
               fmt::format("the catalog has no failure set '{}'", key),
               suggestion(key, scenario.catalog->failures.keys()));
}

}  // namespace trainyard
