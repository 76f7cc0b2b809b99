#include "report/data/schedule_words.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/jobs.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/schedule.h"

namespace trainyard {

std::vector<std::pair<std::string, double>> shares_of_use(const ScheduleUse& use) {
  std::vector<std::pair<std::string, double>> out = {{"useful", use.useful},
                                                     {"contention", use.contention},
                                                     {"suspending", use.suspending},
                                                     {"lost to failures", use.failures},
                                                     {"down", use.down},
                                                     {"spare", use.spare},
                                                     {"idle", use.idle}};
  double all = 0;
  for (const auto& [what, device_s] : out) all += device_s;
  constexpr double kRounding = 1e-12;  // of sums over all jobs
  for (auto& [what, device_s] : out) device_s = device_s > kRounding * all ? device_s / all : 0;
  return out;
}

std::string size_range(const ScheduleClass& row, const char* to) {
  if (row.least_devices == row.most_devices) return grouped(row.least_devices);
  return grouped(row.least_devices) + to + grouped(row.most_devices);
}

std::string cluster_line(const ScheduleAnswer& answer) {
  const ScheduleCluster& c = answer.cluster;
  return fmt::format("{}: {} in {} of {}, {} each", c.design, counted(grouped(c.devices), "device"),
                     counted(grouped(c.domains), "HB domain"), grouped(c.domain_devices),
                     show(c.device_rate));
}

std::vector<std::string> level_lines(const ScheduleAnswer& answer) {
  std::vector<std::string> out;
  const ScheduleCluster& c = answer.cluster;
  if (c.rails > 1) out.push_back(fmt::format("{} that nothing joins", counted(c.rails, "rail")));
  if (c.planes > 1) out.push_back(counted(c.planes, "plane"));
  if (c.spares > 0) out.push_back(fmt::format("{} kept free", counted(grouped(c.spares), "HB domain")));
  for (const ScheduleLevel& level : c.levels) {
    out.push_back(fmt::format("{}: {} of up to {}, {:.3g}:1", level.name,
                              counted(grouped(level.groups), "group"),
                              counted(grouped(level.domains), "HB domain"), level.oversubscription));
  }
  if (c.levels.empty()) out.emplace_back("no jobs share links between HB domains");
  return out;
}

std::vector<std::pair<std::string, std::string>> schedule_settings(const Scenario& scenario) {
  Scenario with_defaults = scenario;
  if (!with_defaults.schedule) with_defaults.schedule.emplace();
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, text] : scenario_settings(with_defaults))
    if (key.starts_with("schedule.")) out.emplace_back(key, text);
  return out;
}

std::string wait_text(Seconds time) {
  constexpr double kMinute_s = 60;
  constexpr double kHour_s = 3600;
  constexpr double kDay_s = 86400;
  const double s = time.si();
  if (s < 2 * kMinute_s) return fmt::format("{:.4g} s", s);
  if (s < 2 * kHour_s) return fmt::format("{:.4g} min", s / kMinute_s);
  if (s < 2 * kDay_s) return fmt::format("{:.4g} h", s / kHour_s);
  return fmt::format("{:.4g} d", s / kDay_s);
}

std::string jobs_text(std::int64_t jobs) { return grouped(jobs) + (jobs == 1 ? " job" : " jobs"); }

std::string figure_text(double value, const std::string& unit) {
  if (unit == "s") return wait_text(Seconds(value));
  return unit == "jobs" ? grouped(value) : fmt::format("{:.4g}", value);
}

std::string apart_text(const PublishedJobFigure& figure) {
  if (!figure.ours) return {};
  if (figure.published == 0) return *figure.ours == 0 ? "0%" : "";
  return fmt::format("{:+.1f}%", 100 * (*figure.ours / figure.published - 1));
}

}  // namespace trainyard
