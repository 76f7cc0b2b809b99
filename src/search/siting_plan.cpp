#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "scenario/choices.h"
#include "siting/siting.h"
#include "step/wide_area.h"
#include "trainyard/errors.h"
#include "trainyard/planning.h"
#include "trainyard/site.h"

namespace trainyard {
namespace {

using Delays = std::vector<std::vector<Seconds>>;

constexpr double kMilliseconds = 1e3;  // of a second
constexpr double kSecondsPerDay = 86400;
constexpr double kDaysPerYear = 365;

/// The plan of a number of sites, and how it slows with distance.
struct Planned {
  explicit Planned(Plan p) : plan(std::move(p)), slowdown(plan, plan.scenario.network.wide_area_rate) {}
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

  Plan plan;
  SiteSlowdown slowdown;

  /// Of the run over sites that exchange in no time.
  double undisturbed_days() const {
    return slowdown.undisturbed_batch().si() * plan.step.steps / kSecondsPerDay;
  }
  /// What is written off in a year.
  double capital_usd_per_year() const {
    const double days = plan.step.days_to_train.si() / kSecondsPerDay;
    return plan.cost.capital_cost.si() / days * kDaysPerYear;
  }
};

double least_share(const Split& split) {
  double out = 1;
  for (const SplitSite& part : split.sites) out = std::min(out, part.share);
  return out;
}

Seconds one_way(double rtt_ms) { return Seconds(rtt_ms / kMilliseconds / 2); }

Delays delays_of(const Split& split) {
  Delays out(split.sites.size(), std::vector<Seconds>(split.sites.size()));
  for (const SitePair& pair : split.pairs) out[pair.a][pair.b] = out[pair.b][pair.a] = one_way(pair.rtt_ms);
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
        for (std::size_t j = 0; j < shape.sites; ++j) delays[i][j] = one_way(shape.rtt_ms[i][j]);
      }
      return planned->slowdown.at(delays, least);
    };
    return SplitTraining{slowdown, planned->slowdown.effort(), planned->undisturbed_days() / kDaysPerYear,
                         planned->capital_usd_per_year()};
  }

  /// By the plan for the split's own longest round trip.
  std::optional<TrainingRun> run(const Split& split) {
    Scenario scenario = scenario_;
    scenario.network.wide_area_rtt = 2 * one_way(split.rtt_ms);
    const auto planned = make(scenario, static_cast<std::int64_t>(split.sites.size()));
    if (!planned) return std::nullopt;
    return run_of(*planned, delays_of(split), least_share(split), split.usd_per_year,
                  split.fibre_usd_per_year);
  }

  /// At the plan's own price of electricity, for the power that splits are found for.
  std::optional<TrainingRun> at_one_site() {
    const Planned* planned = over(1);
    if (!planned) return std::nullopt;
    const CostPlan& cost = planned->plan.cost;
    const double days = planned->plan.step.days_to_train.si() / kSecondsPerDay;
    const double of_facility =
        scenario_.site.power ? *scenario_.site.power / planned->plan.facility.power_high : 1;
    const double usd_per_year = of_facility * cost.energy_cost.si() / days * kDaysPerYear;
    return run_of(*planned, {{Seconds(0)}}, 1, usd_per_year, 0);
  }

  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  bool wanted() const {
    return scenario_.site.goal == SplitGoal::training_time || scenario_.site.goal == SplitGoal::training_cost;
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
    std::string reason =
        fmt::format("no time of training over {} site{}: {}", sites, sites > 1 ? "s" : "", why);
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
      reasons_.push_back(std::move(reason));
    return nullptr;
  }

  static TrainingRun run_of(const Planned& planned, const Delays& delays, double least_share,
                            double usd_per_year, double fibre_usd_per_year) {
    const Plan& plan = planned.plan;
    const BitRate rate = plan.scenario.network.wide_area_rate;
    const SitesPoint point = sites_point(plan, rate, delays, least_share);
    TrainingRun out;
    out.infeasible = point.infeasible;
    out.rate_gbps = rate.si() / 1e9;
    if (!point.infeasible.empty()) return out;
    if (point.sites > 1) out.exchange = choice_name(point.exchange.kind);
    out.sent_mb = point.sent.si() / 1e6;
    out.exchange_ms = point.time.si() * kMilliseconds;
    out.backward_ms = plan.step.backward.si() * kMilliseconds;
    out.added_ms = point.added.si() * kMilliseconds;
    out.step_s = point.step.si();
    out.added_share = point.added_share;
    if (point.sites > 1 && point.hiding_rate) out.hiding_gbps = point.hiding_rate->si() / 1e9;
    out.days = point.step.si() * plan.step.steps / kSecondsPerDay;
    out.days_added = out.days - planned.undisturbed_days();
    const double years = out.days / kDaysPerYear;
    out.energy_usd = (usd_per_year - fibre_usd_per_year) * years;
    out.fibre_usd = fibre_usd_per_year * years;
    out.capital_usd = planned.capital_usd_per_year() * years;
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
                       double power_mw, const std::vector<GeoPoint>& places,
                       const std::vector<double>& radii_km) {
  PlacesPlan out = examine_places(scenario, facility, grid, power_mw, places, radii_km);
  if (!out.split) return out;
  TrainingPlans plans(scenario);
  out.one_site = plans.at_one_site();
  out.split->training = plans.run(*out.split);
  add_warnings(out.warnings, plans);
  return out;
}

}  // namespace trainyard
