// The same jobs under other rules, on other networks, with other spares.
#include "base/choices.h"

#include <fmt/core.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

#include "base/threads.h"
#include "scenario/choices/schedule.h"
#include "schedule/cluster.h"
#include "schedule/study.h"
#include "schedule/summary.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/schedule.h"

namespace trainyard {
namespace {

/// A choice that is still to be replayed.
struct OpenChoice {
  std::string question;
  std::string name;
  ScheduleInput settings;
  DesignInput design;
};

class OpenChoices {
 public:
  OpenChoices(const Scenario& scenario, ScheduleInput settings)
      : settings_(std::move(settings)), design_(schedule::scheduled_design(scenario).input) {
    settings_.checked = 0;
  }

  void placements() {
    for (const Choice<JobPlacement>& choice : Choices<JobPlacement>::kAll) {
      OpenChoice& open = add("placement", std::string(choice.name));
      open.settings.placement = choice.value;
    }
  }

  void orders() {
    for (const Choice<QueueOrder>& order : Choices<QueueOrder>::kAll)
      for (const Choice<Backfill>& fill : Choices<Backfill>::kAll) {
        const bool easy = fill.value == Backfill::easy;
        OpenChoice& open =
            add("order", easy ? fmt::format("{}, {}", order.name, fill.name) : std::string(order.name));
        open.settings.order = order.value;
        open.settings.backfill = fill.value;
        open.settings.preempt = open.settings.preempt && order.value == QueueOrder::priority;
      }
  }

  void networks(const Scenario& scenario) {
    Scenario usual = scenario;
    usual.designs.clear();
    std::set<std::string> seen;  // the scenario's own stand for usual ones of their name
    for (const Scenario* from : {&scenario, static_cast<const Scenario*>(&usual)}) {
      if (from == &scenario && scenario.designs.empty()) continue;
      for (const NetworkDesign& design : designs_of(*from)) {
        if (!schedule::is_schedulable(design) || !seen.insert(design.input.name).second) continue;
        for (const JobPlacement placement : {JobPlacement::leaf, JobPlacement::anywhere}) {
          OpenChoice& open = add("network", fmt::format("{}, {}", design.input.name, choice_name(placement)));
          open.design = design.input;
          open.settings.design.clear();
          open.settings.placement = placement;
        }
      }
    }
  }

  void oversubscriptions() {
    for (const double ratio : {1.0, 2.0, 4.0, 8.0})
      for (const JobPlacement placement : {JobPlacement::leaf, JobPlacement::anywhere}) {
        OpenChoice& open = add("oversubscription", fmt::format("{:g}:1, {}", ratio, choice_name(placement)));
        open.design.oversubscription = {ratio};
        open.settings.placement = placement;
      }
  }

  void spares(std::int64_t domains) {
    if (settings_.failures_per_1000_days <= 0 && settings_.part_failures.empty()) return;
    for (const std::int64_t spares : {0, 1, 2, 4, 8, 16, 32}) {
      if (spares * 8 > domains) break;
      OpenChoice& open = add("spares", fmt::format("{}", spares));
      open.settings.spares = spares;
    }
  }

  std::vector<OpenChoice> take() { return std::move(open_); }

 private:
  OpenChoice& add(std::string question, std::string name) {
    return open_.emplace_back(OpenChoice{std::move(question), std::move(name), settings_, design_});
  }

  ScheduleInput settings_;
  DesignInput design_;
  std::vector<OpenChoice> open_;
};

ScheduleChoice replay_choice(const Scenario& scenario, const JobList& jobs, const OpenChoice& open) {
  ScheduleChoice out{open.question, open.name, std::nullopt, {}};
  try {
    const schedule::Cluster cluster =
        schedule::cluster_of(resolve_design(scenario, open.design), open.settings);
    out.totals = schedule::totals_of(cluster, jobs, schedule::play(scenario, cluster, open.settings, jobs));
  } catch (const InputError& error) {
    out.why = error.findings().front().message;
  } catch (const Infeasible& error) {
    out.why = error.constraint + ": " + error.shortfall;
  }
  return out;
}

}  // namespace

std::vector<ScheduleChoice> compare_schedules(const Scenario& scenario, const JobList& jobs, unsigned threads,
                                              const ScheduleProgress& progress) {
  const ScheduleInput settings = scenario.schedule.value_or(ScheduleInput{});
  OpenChoices choices(scenario, settings);
  choices.placements();
  choices.orders();
  choices.networks(scenario);
  choices.oversubscriptions();
  choices.spares(schedule_cluster(scenario).domains);
  const std::vector<OpenChoice> open = choices.take();
  std::vector<ScheduleChoice> out(open.size());
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::size_t done = 0;
  on_threads(threads, [&] {
    for (std::size_t i = next++; i < open.size(); i = next++) {
      out[i] = replay_choice(scenario, jobs, open[i]);
      const std::lock_guard lock(telling);
      if (progress) progress("other rules", ++done, open.size());
    }
  });
  return out;
}

}  // namespace trainyard
