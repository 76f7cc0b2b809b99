// What operators published of their runs, beside what rates of the catalog predict.
#include <cmath>
#include <stdexcept>

#include "base/csv.h"
#include "base/embedded.h"
#include "goodput/resilience_files.h"
#include "trainyard/catalog.h"
#include "trainyard/resilience_truth.h"

namespace trainyard {
namespace {

constexpr std::int64_t kRuns = 256;

/// Columns of data/resilience.csv.
enum Column : std::size_t {
  kJob,
  kSet,
  kDevices,
  kHostDevices,
  kDays,
  kInterval,
  kStall,
  kWrite,
  kSpares,
  kQuantity,
  kPublished,
  kPublishedHigh,
  kAtLeast,
  kRole,
  kKnown,
  kSource,
  kColumns
};

using Record = std::vector<std::string>;

PublishedJob job_of(const Record& record) {
  PublishedJob job;
  job.devices = std::stoll(record[kDevices]);
  job.host_devices = std::stoll(record[kHostDevices]);
  job.period = as<Seconds>(Days(std::stod(record[kDays])));
  job.interval = Seconds(record[kInterval].empty() ? 0 : std::stod(record[kInterval]));
  job.stall = Seconds(std::stod(record[kStall]));
  job.write = Seconds(std::stod(record[kWrite]));
  job.spares = std::stoll(record[kSpares]);
  return job;
}

double failures(const MonthsResult& months, FailureCause cause) {
  return months.lost[static_cast<std::size_t>(cause)].failures;
}

double servers_taken_out(const GoodputCase& c, const MonthsResult& months) {
  double out = 0;
  for (const FailureMode& mode : c.modes) out += mode.rate_per_s * months.period_h * 3600 * real(mode.hosts);
  return out;
}

double quantity_of(const std::string& name, const GoodputCase& c, const MonthsResult& months) {
  if (name == "interruptions") return months.interruptions.mean;
  if (name == "planned") return failures(months, FailureCause::planned);
  if (name == "hours_between_interruptions") return months.period_h / months.interruptions.mean;
  if (name == "failures_per_1000_node_days")
    return months.interruptions.mean / (real(c.hosts) * months.period_h / 24) * 1000;
  if (name == "ettr") return months.ettr.mean;
  if (name == "servers_taken_out") return servers_taken_out(c, months);
  if (name == "accelerator_failures")
    return failures(months, FailureCause::gpu) + failures(months, FailureCause::memory);
  throw std::logic_error("data/resilience.csv: no quantity " + name);
}

double predicted(const FailureSet& set, const Record& record) {
  GoodputCase c = published_case(set, job_of(record));
  c.runs = kRuns;
  const MonthsResult months = simulate_months(c, goodput_form(c).interval, 1);
  return quantity_of(record[kQuantity], c, months);
}

bool is_count(const std::string& quantity) {
  return quantity != "ettr" && quantity != "hours_between_interruptions" &&
         quantity != "failures_per_1000_node_days";
}

/// Counts within 15% or two standard deviations, useful time within two points, bounds as such.
bool agrees(const ResilienceRow& row, double value) {
  constexpr double kShare = 0.15;
  constexpr double kPoints = 0.02;
  constexpr double kDeviations = 2;
  if (row.at_least) return value >= row.published;
  const auto near = [&](double figure) {
    if (row.quantity == "ettr") return std::abs(value - figure) <= kPoints;
    const double deviations = is_count(row.quantity) ? kDeviations * std::sqrt(value) : 0;
    return std::abs(value - figure) <= std::max(kShare * figure, deviations);
  };
  return (value >= row.published && value <= row.published_high) || near(row.published) ||
         near(row.published_high);
}

}  // namespace

std::vector<ResilienceRow> published_resilience(const Catalog& catalog) {
  std::vector<ResilienceRow> out;
  const std::vector<Record> records = parse_csv(resilience_files().front().text);
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Record& record = records[i];
    if (record.size() != kColumns) throw std::logic_error("data/resilience.csv: a row of other columns");
    ResilienceRow row;
    row.job = record[kJob];
    row.set = record[kSet];
    row.quantity = record[kQuantity];
    row.published = std::stod(record[kPublished]);
    row.published_high = std::stod(record[kPublishedHigh]);
    row.at_least = record[kAtLeast] == "yes";
    row.fitted = record[kRole] == "fitted";
    row.recalled = record[kKnown] == "recalled";
    row.source = record[kSource];
    row.by_set = predicted(catalog.failures.at(row.set), record);
    row.by_default = predicted(catalog.failures.at("default"), record);
    row.set_agrees = agrees(row, row.by_set);
    row.default_agrees = agrees(row, row.by_default);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace trainyard
