// What may fail in a plan's cluster, what that takes down, and what checkpoints cost.
#include <algorithm>
#include <cmath>
#include <map>

#include "facility/networks.h"
#include "goodput/goodput_parts.h"
#include "scenario/in_force.h"
#include "topology/dealing.h"
#include "trainyard/catalog.h"
#include "trainyard/design_counts.h"
#include "trainyard/goodput.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

constexpr double kYear_s = 365 * 86400.0;
constexpr double kTransceiversOfCable = 2;

/// A part of which there are so many.
struct Part {
  FailureCause cause = FailureCause::gpu;
  std::string what;
  double parts = 0;
  double per_year = 0;
};

/// Of a failed part.
struct Effect {
  std::int64_t hosts = 0;
  Seconds repair;
  bool stops = true;
  double slowdown = 0;
};

bool worked_on_by_crews(FailureCause cause) {
  switch (cause) {
    case FailureCause::gpu:
    case FailureCause::memory:
    case FailureCause::nic:
    case FailureCause::host:
    case FailureCause::silent:
    case FailureCause::straggler:
      return true;
    default:
      return false;
  }
}

bool has_bathtub(FailureCause cause) {
  return cause != FailureCause::software && cause != FailureCause::planned && cause != FailureCause::site &&
         cause != FailureCause::plane;
}

/// Collects modes of failure of a job.
class CaseBuilder {
 public:
  CaseBuilder(const FailureSet& set, const ResilienceInput& input, double devices)
      : set_(set), input_(input) {
    case_.hosts = static_cast<std::int64_t>(std::ceil(devices / real(*input.host_devices)));
    case_.infant_factor = set.infant_factor;
    case_.infant_time = set.infant_time;
    case_.wear_time = set.wear_time;
    case_.age = input.age;
    case_.detection = input.detection.value_or(set.detection);
    case_.hang_share = set.hang_share;
    case_.hang_detection = input.hang_detection.value_or(set.hang_detection);
    case_.manual_share = input.manual_share.value_or(set.manual_share);
    case_.manual_time = set.manual_time;
    case_.swap = input.spare_kind == SpareKind::hot ? set.hot_swap : set.cold_swap;
    case_.restart = input.restart.value_or(set.restart);
    case_.repair = set.repair;
    case_.spares = input.spares;
    case_.crews = input.crews;
    case_.interval = input.interval;
    case_.outlives_all = input.checkpoint == CheckpointTier::file_system;
    case_.backup_every = input.backup_every;
    case_.period = input.period;
    case_.runs = input.runs;
    case_.seed = input.seed;
    add_devices(devices);
    add_hosts();
    add_facility();
  }

  void add(const Part& part, const Effect& effect) {
    if (part.parts <= 0 || part.per_year <= 0) return;
    FailureMode mode;
    mode.cause = part.cause;
    mode.what = part.what;
    mode.parts = part.parts;
    mode.rate_per_s = part.parts * part.per_year / kYear_s;
    mode.ages = has_bathtub(part.cause);
    mode.stops = effect.stops;
    mode.hosts = std::min(effect.hosts, case_.hosts);
    mode.keeps = keeps(mode.hosts);
    mode.by_crew = worked_on_by_crews(part.cause);
    mode.slowdown = effect.slowdown;
    mode.lasts = effect.repair;
    case_.modes.push_back(std::move(mode));
  }

  /// A cable and its transceivers.
  void add_link(const std::string& what, double cables, const Effect& effect) {
    add({FailureCause::cable, what, cables, set_.cable}, effect);
    add({FailureCause::transceiver, what, cables * kTransceiversOfCable, set_.transceiver}, effect);
  }

  const FailureSet& set() const { return set_; }
  std::int64_t hosts() const { return case_.hosts; }
  GoodputCase take() && { return std::move(case_); }
  GoodputCase& made() { return case_; }

 private:
  void add_devices(double devices) {
    const Effect server{.hosts = 1, .repair = set_.repair};
    add({FailureCause::gpu, "accelerator", devices, set_.gpu}, server);
    add({FailureCause::memory, "accelerator's memory", devices, set_.memory}, server);
    add({FailureCause::nic, "NIC", devices, set_.nic}, server);
    add({FailureCause::silent, "accelerator that computes wrongly", devices, set_.silent},
        {.hosts = 1, .repair = set_.silent_detection});
  }

  void add_hosts() {
    const double hosts = real(case_.hosts);
    add({FailureCause::host, "server", hosts, set_.host}, {.hosts = 1, .repair = set_.repair});
    add({FailureCause::software, "software of a server", hosts, set_.software}, {});
    add({FailureCause::straggler, "slow server", hosts, set_.straggler},
        {.hosts = 1,
         .repair = set_.straggler_detection,
         .stops = false,
         .slowdown = set_.straggler_slowdown});
    add({FailureCause::planned, "planned interruption", 1, set_.planned}, {});
  }

  void add_facility() {
    const double racks = std::ceil(real(case_.hosts) / real(*input_.rack_hosts));
    const double feeds = std::ceil(racks / real(input_.feed_racks));
    const std::int64_t of_feed = *input_.rack_hosts * input_.feed_racks;
    const Seconds repair = set_.facility_repair;
    add({FailureCause::rack_power, "rack's power", racks, set_.rack_power},
        {.hosts = *input_.rack_hosts, .repair = repair});
    add({FailureCause::power_feed, "power feed", feeds, set_.power_feed},
        {.hosts = of_feed, .repair = repair});
    add({FailureCause::cooling, "cooling loop", feeds, set_.cooling}, {.hosts = of_feed, .repair = repair});
    add({FailureCause::site, "site", 1, set_.site}, {.hosts = case_.hosts, .repair = repair});
  }

  /// Whether checkpoints of the tier are there after so many servers are gone.
  bool keeps(std::int64_t hosts) const {
    switch (input_.checkpoint) {
      case CheckpointTier::file_system:
        return true;
      case CheckpointTier::neighbour:
        return hosts <= *input_.rack_hosts;
      case CheckpointTier::local_disk:
        return hosts == 0 || hosts == case_.hosts;
      case CheckpointTier::host_memory:
        return hosts == 0;
    }
    return false;
  }

  const FailureSet& set_;
  const ResilienceInput& input_;
  GoodputCase case_;
};

/// What failed parts of the network do to a job.
class NetworkFailures {
 public:
  NetworkFailures(const Plan& plan, const ResilienceInput& input, const StepAtRate& step_at)
      : plan_(plan), input_(input), step_at_(step_at), design_(design_of(plan.scenario)) {}

  void add_to(CaseBuilder& builder) {
    const DesignCounts counts = count(design_);
    const double served = real(design_.hosts) * real(plan_.facility.datacenters);
    const double used = std::min(1.0, real(plan_.mapping.devices_used) / served);
    const double sites = real(plan_.facility.datacenters) * used;
    const double bundle = design_.input.bundle_planes ? real(design_.planes) : 1;
    for (const BlastRadius& blast : counts.blast) {
      const double parts = blast.parts * sites;
      switch (blast.part) {
        case FailedPart::chip:
          builder.add({FailureCause::switch_chip, blast.what, parts, builder.set().switch_chip},
                      effect(blast, blast.share, builder));
          break;
        case FailedPart::switch_link:
        case FailedPart::host_link:
          builder.add_link(blast.what, parts / bundle,
                           effect(blast, std::min(1.0, blast.share * bundle), builder));
          break;
        case FailedPart::host:     // the cause `host`
        case FailedPart::plane:    // below, with one plane too
        case FailedPart::network:  // one rail's: as its switches
          break;
      }
    }
    add_planes(builder, sites);
  }

 private:
  /// A fat tree where the scenario has none, or none that joins servers.
  static NetworkDesign design_of(const Scenario& scenario) {
    if (!scenario.designs.empty()) {
      NetworkDesign design = resolve_design(scenario, scenario.designs.front());
      if (!design.inside_domains()) return design;
    }
    DesignInput usual;
    usual.name = "fat-tree";
    return resolve_design(scenario, usual);
  }

  void add_planes(CaseBuilder& builder, double sites) {
    BlastRadius blast{"one plane", real(design_.hosts), 1 / real(design_.planes)};
    builder.add({FailureCause::plane, blast.what, real(design_.planes) * sites, builder.set().plane},
                effect(blast, blast.share, builder));
  }

  Effect effect(const BlastRadius& blast, double share, const CaseBuilder& builder) {
    Effect out{.repair = builder.set().link_repair};
    if (input_.forward) share *= share_of_domain(blast.hosts);
    if (share >= 1) {
      out.hosts = std::max<std::int64_t>(1, servers(blast.hosts));
      return out;
    }
    out.stops = !input_.reroute;
    out.slowdown = slowdown(1 - share);
    return out;
  }

  /// Of the devices of an HB domain, the most that are among so many neighbouring ones.
  double share_of_domain(double devices) const {
    return std::min(1.0,
                    std::ceil(design_.dealing().most_of_domain(design_, devices)) / real(design_.domain));
  }

  /// Servers that so many neighbouring devices belong to.
  std::int64_t servers(double devices) const {
    const double together = std::max(1.0, design_.dealing().most_of_domain(design_, devices));
    const double domains = std::ceil(devices / together);
    const double of_domain = std::ceil(real(design_.domain) / real(*input_.host_devices));
    return static_cast<std::int64_t>(domains * std::min(std::ceil(together), of_domain));
  }

  double slowdown(double kept) {
    const auto known = slowdowns_.find(kept);
    if (known != slowdowns_.end()) return known->second;
    const double extra = step_at_(kept) / plan_.step.step - 1;
    return slowdowns_[kept] = std::max(0.0, extra);
  }

  const Plan& plan_;
  const ResilienceInput& input_;
  const StepAtRate& step_at_;
  NetworkDesign design_;
  std::map<double, double> slowdowns_;
};

/// Of the training state: weights at the precision of the optimizer, once, and its states.
Bytes checkpoint_bytes(const Plan& plan) {
  const PrecisionInput& p = plan.scenario.precision;
  const MemoryTerms& memory = plan.mapping.model_memory;
  Bytes working(0);
  if (p.master_copy)
    working = memory.weights * (bytes_of(p.weights) / (bytes_of(p.weights) + bytes_of(p.master)));
  return memory.weights - working + memory.optimizer;
}

struct CheckpointTimes {
  Seconds copy;   // from devices to their servers' memory
  Seconds write;  // from the copy's beginning until it is safe
  Seconds file;   // to the file system
};

CheckpointTimes checkpoint_times(const Plan& plan, const ResilienceInput& input, Bytes bytes) {
  constexpr double kFileRateOfDevice = 2e12 / 16384;  // Llama 3 (2024), section 3.3.1
  const Networks networks = networks_of(plan.scenario);
  const MappingPlan& m = plan.mapping;
  const double devices = real(m.devices_used);
  const double writers = plan.scenario.mapping.zero_stage >= 1 ? devices : devices / real(m.data);
  const Bytes each = bytes / writers;
  CheckpointTimes out;
  out.copy = each / networks.host;
  out.file = bytes / input.file_rate.value_or(BytesPerSecond(kFileRateOfDevice * devices));
  switch (input.checkpoint) {
    case CheckpointTier::host_memory:
      break;
    case CheckpointTier::neighbour:
      out.write = each / networks.scale_out.rate;
      break;
    case CheckpointTier::local_disk:
      out.write = each * std::min(real(*input.host_devices), writers) / input.disk_rate;
      break;
    case CheckpointTier::file_system:
      out.write = out.file;
      break;
  }
  out.write = input.write_time.value_or(out.copy + out.write);
  out.copy = std::min(out.copy, out.write);
  return out;
}

}  // namespace

std::string_view failure_cause_name(FailureCause cause) {
  constexpr std::string_view kNames[] = {
      "gpu",        "memory",  "nic",  "transceiver", "cable",  "switch_chip", "plane",  "host", "rack_power",
      "power_feed", "cooling", "site", "software",    "silent", "straggler",   "planned"};
  static_assert(std::size(kNames) == kFailureCauses);
  return kNames[static_cast<std::size_t>(cause)];
}

void set_replicas(GoodputCase& c, const Plan& plan, bool shrink) {
  const double least = resilience_of(plan.scenario).least_replicas;
  c.replicas = shrink ? plan.mapping.data : 1;
  c.least_replicas =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(least * real(c.replicas))));
}

GoodputCase goodput_case(const Plan& plan, const StepAtRate& step_at) {
  const ResilienceInput input = resilience_of(plan.scenario);
  const FailureSet& set = plan.scenario.catalog->failures.at(input.failures);
  CaseBuilder builder(set, input, real(plan.mapping.devices_used));
  NetworkFailures(plan, input, step_at).add_to(builder);
  GoodputCase out = std::move(builder).take();
  set_replicas(out, plan, input.shrink);
  out.step = plan.step.step;
  out.checkpoint_bytes = checkpoint_bytes(plan);
  const CheckpointTimes times = checkpoint_times(plan, input, out.checkpoint_bytes);
  out.write = out.read = times.write;
  out.stall = input.asynchronous ? times.copy : times.write;
  if (!out.outlives_all) out.backup_write = times.file;
  out.over_network = out.outlives_all || input.checkpoint == CheckpointTier::neighbour;
  return out;
}

GoodputCase published_case(const FailureSet& set, const PublishedJob& job) {
  constexpr double kLeafLinks = 64;
  ResilienceInput input;
  input.host_devices = job.host_devices;
  input.rack_hosts = kUsualRackServers;
  input.period = job.period;
  input.spares = job.spares;
  if (job.interval > Seconds(0)) input.interval = job.interval;
  const double devices = real(job.devices);
  CaseBuilder builder(set, input, devices);
  builder.add_link("link of a server", devices, {.hosts = 1, .repair = set.link_repair});
  builder.add({FailureCause::switch_chip, "leaf", std::ceil(devices / kLeafLinks), set.switch_chip},
              {.hosts = static_cast<std::int64_t>(std::ceil(kLeafLinks / real(job.host_devices))),
               .repair = set.link_repair});
  GoodputCase out = std::move(builder).take();
  out.stall = job.stall;
  out.write = out.read = std::max(job.stall, job.write);
  return out;
}

}  // namespace trainyard
