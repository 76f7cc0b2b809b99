#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "facility/networks.h"
#include "scenario/choices/wide_area.h"
#include "siting/siting.h"
#include "step/wide_area.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/plan/cost.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"
#include "trainyard/site.h"

namespace trainyard {
namespace {

using Delays = std::vector<std::vector<Seconds>>;

/// The plan of a number of sites, and how it slows with distance.
struct Planned {
  explicit Planned(Plan p) : plan(std::move(p)), slowdown(plan, plan.scenario.network.wide_area_rate) {}
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

  Plan plan;
  SiteSlowdown slowdown;

  /// Of the run over sites that exchange in no time.
  Days undisturbed() const { return as<Days>(slowdown.undisturbed_batch() * plan.step.steps); }
  /// What is written off in a year.
  UsdPerYear capital() const {
    return as<UsdPerYear>(plan.cost.capital_cost / as<Days>(plan.step.days_to_train));
  }
};

double least_share(const Split& split) {
  double out = 1;
  for (const SplitSite& part : split.sites) out = std::min(out, part.share);
  return out;
}

Seconds one_way(Milliseconds rtt) { return as<Seconds>(rtt) / 2; }

Delays delays_of(const Split& split) {
  Delays out(split.sites.size(), std::vector<Seconds>(split.sites.size()));
  for (const SitePair& pair : split.pairs) out[pair.a][pair.b] = out[pair.b][pair.a] = one_way(pair.rtt);
  return out;
}

/// Plans of one scenario over one, two, three, ... sites, each made when it is first asked for.
class TrainingPlans {
 public:
  explicit TrainingPlans(const Scenario& scenario) : scenario_(scenario) {}

  /// Null where there is no plan.
  const Planned* over(std::int64_t sites) {
    const auto [at, fresh] = plans_.try_emplace(sites);
    if (fresh) at->second = make(scenario_, sites);
    return at->second.get();
  }

  std::optional<SplitTraining> for_search(std::int64_t sites) {
    const Planned* planned = over(sites);
    if (!planned) return std::nullopt;
    Delays delays(static_cast<std::size_t>(sites), std::vector<Seconds>(static_cast<std::size_t>(sites)));
    const auto slowdown = [planned, delays](const SplitShape& shape) mutable {
      double least = 1;
      for (std::size_t i = 0; i < shape.sites; ++i) {
        least = std::min(least, shape.share[i]);
        for (std::size_t j = 0; j < shape.sites; ++j) delays[i][j] = one_way(shape.rtt[i][j]);
      }
      return planned->slowdown.at(delays, least);
    };
    return SplitTraining{slowdown, planned->slowdown.effort(), planned->capital(), power_ratio(*planned)};
  }

  /// By the plan for the split's own longest round trip.
  std::optional<TrainingRun> run(const Split& split) {
    Scenario scenario = scenario_;
    scenario.network.wide_area_rtt = 2 * one_way(split.rtt);
    const auto planned = make(scenario, static_cast<std::int64_t>(split.sites.size()));
    if (!planned) return std::nullopt;
    const UsdPerYear energy = (split.cost - split.fibre_cost) * power_ratio(*planned);
    return run_of(*planned, delays_of(split), least_share(split), energy, split.fibre_cost);
  }

  /// At the plan's own price of electricity.
  std::optional<TrainingRun> at_one_site() {
    const Planned* planned = over(1);
    if (!planned) return std::nullopt;
    const CostPlan& cost = planned->plan.cost;
    const auto energy = as<UsdPerYear>(cost.energy_cost / as<Days>(planned->plan.step.days_to_train));
    note_other_power(planned->plan.facility.power_high);
    return run_of(*planned, {{Seconds(0)}}, 1, energy, UsdPerYear());
  }

  /// Why there are no times of training, or what they are of.
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  bool wanted() const {
    return scenario_.site.goal == SplitGoal::training_time || scenario_.site.goal == SplitGoal::training_cost;
  }

  /// Of the plan, whose devices train, over the one that places are found for.
  double power_ratio(const Planned& planned) const {
    return scenario_.site.power ? planned.plan.facility.power_high / *scenario_.site.power : 1;
  }

  void note_other_power(Watts of_plan) {
    constexpr double kAlike = 1e-3;
    if (!scenario_.site.power || std::abs(of_plan / *scenario_.site.power - 1) <= kAlike) return;
    reasons_.push_back(fmt::format(
        "training is the whole plan's: its days, its wear, and the energy of its {:.0f} MW, where "
        "site.power = {:g} MW is found; facility.devices makes the plan smaller or larger",
        as<Megawatts>(of_plan).count(), as<Megawatts>(*scenario_.site.power).count()));
  }

  /// Null where there is no plan.
  std::unique_ptr<Planned> make(Scenario scenario, std::int64_t sites) {
    scenario.facility.datacenters = sites;
    std::string why;
    try {
      auto out = std::make_unique<Planned>(make_plan(scenario));
      if (out->plan.mapping.datacenters == sites) return out;
      why = "fewer copies of the model than sites";
      if (wanted()) throw Infeasible("copies of the model", why, "fewer site.sites");
    } catch (const Infeasible& answer) {
      if (wanted()) throw;
      why = answer.constraint + ": " + answer.shortfall;
    } catch (const InputError& error) {
      if (wanted()) throw;
      why = error.findings().front().message;
    }
    std::string reason = fmt::format("no time of training over {}: {}", counted(sites, "site"), why);
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
      reasons_.push_back(std::move(reason));
    return nullptr;
  }

  static TrainingRun run_of(const Planned& planned, const Delays& delays, double least_share,
                            UsdPerYear energy, UsdPerYear fibre_cost) {
    const Plan& plan = planned.plan;
    const BitRate rate = plan.scenario.network.wide_area_rate;
    const SitesPoint point = sites_point(plan, rate, delays, least_share);
    TrainingRun out;
    out.infeasible = point.infeasible;
    out.rate = as<GigabitsPerSecond>(rate);
    out.nic_rate = as<GigabitsPerSecond>(port_rates_of(plan.scenario).scale_out);
    if (!point.infeasible.empty()) return out;
    if (point.sites > 1) out.exchange = choice_name(point.exchange.kind);
    out.sent = as<Megabytes>(point.sent);
    out.exchange_time = as<Milliseconds>(point.time);
    out.backward = as<Milliseconds>(plan.step.backward);
    out.added = as<Milliseconds>(point.added);
    out.step = point.step;
    out.added_share = point.added_share;
    if (point.sites > 1 && point.hiding_rate) out.hiding_rate = as<GigabitsPerSecond>(*point.hiding_rate);
    out.duration = as<Days>(point.step * plan.step.steps);
    out.added_duration = out.duration - planned.undisturbed();
    const auto years = as<Years>(out.duration);
    out.energy = energy * years;
    out.fibre = fibre_cost * years;
    out.capital = planned.capital() * years;
    return out;
  }

  const Scenario& scenario_;
  std::map<std::int64_t, std::unique_ptr<Planned>> plans_;
  std::vector<std::string> reasons_;
};

void add_warnings(std::vector<std::string>& warnings, const TrainingPlans& plans) {
  warnings.insert(warnings.end(), plans.reasons().begin(), plans.reasons().end());
}

}  // namespace

SitingPlan plan_sites(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid) {
  TrainingPlans plans(scenario);
  SitingPlan out =
      plan_siting(scenario, facility, grid, [&](std::int64_t sites) { return plans.for_search(sites); });
  out.one_site = plans.at_one_site();
  for (SplitResult& result : out.splits) {
    for (Split& split : result.splits) split.training = plans.run(split);
  }
  add_warnings(out.warnings, plans);
  return out;
}

PlacesPlan plan_places(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       Megawatts power, const std::vector<GeoPoint>& places,
                       const std::vector<Kilometres>& radii) {
  PlacesPlan out = examine_places(scenario, facility, grid, power, places, radii);
  if (!out.split) return out;
  TrainingPlans plans(scenario);
  out.one_site = plans.at_one_site();
  out.split->training = plans.run(*out.split);
  add_warnings(out.warnings, plans);
  return out;
}

}  // namespace trainyard
