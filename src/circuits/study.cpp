#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "circuits/rails.h"
#include "circuits/runs.h"
#include "facility/networks.h"
#include "step/timeline.h"
#include "trainyard/catalog.h"
#include "trainyard/circuits.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"
#include "trainyard/range.h"

namespace trainyard {
namespace {

using namespace circuits;

constexpr double kTimes_s[] = {0, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
/// Pieces of the timeline that are kept.
constexpr std::size_t kMostPieces = 20000;

/// A plan's step over electrical rails, of which devices keep a share of their rate.
Seconds electrical_step(const Plan& plan, const StepModel& model, double kept) {
  Networks networks = networks_of(plan.scenario);
  networks.scale_out.rate = networks.scale_out.rate * kept;
  const auto transfers = analytic_transfers(model.graph, networks, model.failures);
  return seconds_of(execute(model.graph, *transfers, model.failures).end) / real(model.steps);
}

void check_rings(const CircuitRails& rails, const Demands& demands) {
  for (const ClassNeed& need : demands.classes()) {
    const bool ring = need.on_rail && need.neighbours == 2 && need.traffic != Traffic::pipeline;
    if (ring) check_ring(rails, need.members);
  }
}

std::vector<CircuitPiece> pieces_of(const PortLog& log, const Demands& demands) {
  std::vector<CircuitPiece> out;
  for (const PortUse& use : log.uses) {
    for (const std::int32_t n : use.nodes) {
      if (n >= demands.stages() || out.size() == kMostPieces || use.to == use.from) continue;
      out.push_back({n, seconds_of(use.from), seconds_of(use.to),
                     std::string(traffic_name(demands.traffic_of(use.key))), use.change});
    }
  }
  return out;
}

/// Everything beside the step itself.
class Study {
 public:
  explicit Study(const Plan& plan) : plan_(plan), model_(build_step(plan)) {}

  CircuitsAnswer answer() {
    out_.settings = settings_of(plan_);
    out_.electrical = electrical_step(plan_, model_, 1);
    out_.rails = circuit_rails(plan_, out_.settings);
    add_step();
    add_networks();
    add_failures();
    add_switches();
    add_rules();
    add_times();
    return std::move(out_);
  }

 private:
  StepTime change() const { return step_time(change_of(plan_, out_.settings)); }
  Ports all_ports() const { return {out_.settings.ports, out_.settings.ports}; }

  void add_step() {
    const CircuitRuns& runs = runs_.emplace(plan_, model_, out_.settings, all_ports());
    const Demands demands = runs.demands(change());
    check_rings(out_.rails, demands);
    out_.step = runs.step(change());
    out_.uses = uses_of(demands, model_.graph);
    out_.timeline = pieces_of(runs.best(change()).log, demands);
  }

  void add_networks() {
    CircuitNetwork own = circuit_network(plan_, out_.settings, out_.rails);
    own.step = out_.step.step;
    out_.networks.push_back(std::move(own));
    electrical_ = electrical_networks(plan_);
    for (Electrical& e : electrical_) {
      e.network.step = out_.electrical;
      out_.networks.push_back(e.network);
    }
  }

  void add_failures() {
    const CircuitRails& rails = out_.rails;
    const double devices = real(rails.rails * rails.hosts);
    add_circuit_failure("a port of a device, its transceiver or fibre", devices * real(rails.ports), 1, 1, 1);
    add_circuit_failure("a circuit switch", real(rails.switches), real(rails.hosts * rails.rails_on_switch),
                        rails.ports_on_switch, rails.rails_on_switch);
    add_server();
    for (const Electrical& e : electrical_) {
      const DesignCounts counts = count(e.design);
      for (const BlastRadius& blast : counts.blast) add_electrical_failure(e, counts, blast);
    }
  }

  CircuitFailure failure_of(std::string network, std::string what, double parts, double devices) const {
    return {.network = std::move(network),
            .what = std::move(what),
            .parts = parts,
            .devices = devices,
            .kept = 0,
            .away = Seconds(0),
            .step = {},
            .then = {}};
  }

  /// Devices lose ports, and circuits are set anew over those that are left; or over other rails.
  void add_circuit_failure(const char* what, double parts, double devices, std::int64_t ports,
                           std::int64_t rails) {
    CircuitFailure f = failure_of("circuits", what, parts, devices);
    f.away = seconds_of(change());
    const std::int64_t left = out_.settings.ports - ports;
    try {
      if (left == 0) throw Infeasible("a port that is left", "no port of the rail is left", "");
      f.step = step_with({out_.settings.ports, left, 1});
      f.kept = real(left) / real(out_.settings.ports);
      f.then = "circuits over the other " + counted(left, "port");
    } catch (const Infeasible& none) {
      f.then = "stops: " + none.shortfall;
      if (out_.rails.rails > rails) over_other_rails(f, out_.rails.rails - rails);
    }
    out_.failures.push_back(std::move(f));
  }

  void over_other_rails(CircuitFailure& f, std::int64_t others) const {
    f.kept = real(others) / real(out_.rails.rails);
    f.step = step_with({out_.settings.ports, out_.settings.ports, f.kept});
    f.then = fmt::format("{} other rail{} carr{} it, forwarded inside HB domains", others,
                         others == 1 ? "" : "s", others == 1 ? "ies" : "y");
  }

  Seconds step_with(Ports ports) const {
    return CircuitRuns(plan_, model_, out_.settings, ports).step(change()).step;
  }

  void add_server() {
    const std::int64_t spare = out_.rails.spare_servers;
    CircuitFailure f = failure_of("circuits", "an HB domain", real(out_.rails.hosts), real(out_.rails.rails));
    f.away = seconds_of(change());
    f.then = "stops: no spare ports for another one";
    if (spare > 0) {
      f.step = out_.step.step;
      f.then = fmt::format("restart: circuits to one of {} spare ones, wherever it stands", spare);
    }
    out_.failures.push_back(std::move(f));
  }

  /// Packets take other ways of the network, or those of the HB domain's other devices.
  void add_electrical_failure(const Electrical& e, const DesignCounts& counts, const BlastRadius& blast) {
    constexpr double kNothing = 1e-9;
    CircuitFailure f = failure_of(e.network.name, blast.what, blast.parts, blast.hosts);
    f.kept = 1 - blast.share;
    f.then = "packets take the other ways";
    if (f.kept < kNothing) {
      f.kept = kept_by_domain(e.design, counts, blast.part);
      f.then = "other devices of the HB domain send for it";
    }
    if (f.kept < kNothing) {
      f.then = "stops: no other way";
    } else {
      f.step = electrical_step(plan_, model_, f.kept);
    }
    out_.failures.push_back(std::move(f));
  }

  static double kept_by_domain(const NetworkDesign& design, const DesignCounts& counts, FailedPart part) {
    const double others = design.domain > 1 ? 1 - 1 / real(design.domain) : 0;
    switch (part) {
      case FailedPart::chip:
        return counts.domain_kept;
      case FailedPart::host_link:
        return others;
      case FailedPart::network:
        return design.by_rank() ? 1 - 1 / real(design.rails) : 0;
      default:
        return 0;
    }
  }

  /// A choice that may not do: `add` fills it, or throws Infeasible.
  CircuitChoice tried(std::string name, const CircuitsInput& settings,
                      const std::function<void(CircuitChoice&, const CircuitRails&)>& add) const {
    CircuitChoice out{.name = std::move(name),
                      .change = change_of(plan_, settings),
                      .step = {},
                      .price = {},
                      .power = {},
                      .why = {}};
    try {
      add(out, circuit_rails(plan_, settings));
    } catch (const Infeasible& none) {
      out.why = none.shortfall;
    }
    return out;
  }

  void add_switches() {
    for (const auto& [key, part] : plan_.scenario.catalog->circuit_switches) {
      CircuitsInput other = out_.settings;
      other.circuit_switch = key;
      other.reconfiguration_time.reset();
      out_.switches.push_back(tried(key, other, [&](CircuitChoice& choice, const CircuitRails& rails) {
        const StepTime change = step_time(choice.change);
        check_rings(rails, runs_->demands(change));
        choice.step = runs_->step(change);
        const CircuitNetwork network = circuit_network(plan_, other, rails);
        choice.price = network.price;
        choice.power = network.power;
      }));
    }
  }

  void add_rules() {
    constexpr std::pair<CircuitChange, const char*> kRules[] = {{CircuitChange::never, "never"},
                                                                {CircuitChange::phases, "phases"},
                                                                {CircuitChange::transfers, "transfers"}};
    for (const auto& [rule, name] : kRules) {
      for (const bool ahead : {true, false}) {
        if (rule == CircuitChange::never && !ahead) continue;
        CircuitsInput other = out_.settings;
        other.reconfigure = rule;
        other.ahead = ahead;
        out_.rules.push_back(tried(fmt::format("{}{}", name, ahead ? "" : ", on demand"), other,
                                   [&](CircuitChoice& choice, const CircuitRails& rails) {
                                     const CircuitRuns runs(plan_, model_, other, all_ports());
                                     check_rings(rails, runs.demands(change()));
                                     choice.step = runs.step(change());
                                   }));
      }
    }
  }

  void add_times() {
    for (const double time : kTimes_s) {
      out_.times.push_back({.name = format_quantity(time, Unit::seconds),
                            .change = Seconds(time),
                            .step = runs_->step(step_time(Seconds(time))),
                            .price = {},
                            .power = {},
                            .why = {}});
    }
  }

  const Plan& plan_;
  StepModel model_;
  CircuitsAnswer out_;
  std::optional<CircuitRuns> runs_;  // of the question's own settings
  std::vector<Electrical> electrical_;
};

}  // namespace

CircuitsAnswer study_circuits(const Plan& plan) { return Study(plan).answer(); }

}  // namespace trainyard
