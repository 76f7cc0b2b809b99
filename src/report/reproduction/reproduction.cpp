#include "trainyard/reproduction.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/errors.h"
#include "report/reproduction/row_quantities.h"
#include "report/reproduction/rows.h"
#include "report/reproduction/shipped_records.h"
#include "report/reproduction/verdict.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/ranks.h"

namespace trainyard {
namespace {

constexpr std::string_view kPublished = "published.csv";

const std::vector<std::string>& papers() {
  static const std::vector<std::string> names = {"hotnets24", "railonly23", "all"};
  return names;
}

/// The published unit in base units.
double unit_factor(const std::string& unit) {
  static const std::map<std::string, double> factors = {
      {"GW", 1e9}, {"MW", 1e6}, {"%", 0.01}, {"Gbps", 1e9}, {"days", 86400}};
  const auto found = factors.find(unit);
  return found == factors.end() ? 1 : found->second;
}

ReproducedRow published_row(const std::vector<std::string>& fields) {
  TY_ASSERT(fields.size() == 8, "published.csv has eight columns");
  ReproducedRow row;
  row.id = fields[0];
  row.source = fields[1];
  row.where = fields[2];
  row.quantity = fields[3];
  row.published = shipped_number(kPublished, fields[4]);
  row.unit = fields[5];
  if (!fields[6].empty()) row.tolerance_pct = shipped_number(kPublished, fields[6]);
  row.note = fields[7];
  return row;
}

void add_note(ReproducedRow& row, const std::string& note) {
  if (!note.empty()) row.note = row.note.empty() ? note : row.note + "; " + note;
}

/// RowQuantities of section 6 whose rows are times and shares of a step.
bool has_step(const RowSource& source) {
  constexpr std::array kQuantities = {"step.exposed_share", "step.forward_s", "step.backward_s",
                                      "step.gradient_hidden_s", "communication.wide_area_rate_hidden_bps"};
  return source.analysis == Analysis::plan &&
         std::find(kQuantities.begin(), kQuantities.end(), std::string_view(source.quantity)) !=
             kQuantities.end();
}

void add_step(ReproducedRow& row, const RowSource& source, RowQuantities& plans) {
  constexpr double kPercent = 100;
  const auto& quantities = plans.of(source);
  const double unit = unit_factor(row.unit);
  if (source.analysis == Analysis::slowed) {
    row.step = {*row.computed, find_quantity(quantities, kClosedShare).value / unit,
                find_quantity(quantities, kPace).value * kPercent};
    return;
  }
  if (!has_step(source)) return;
  const auto& stepped = plans.stepped(source);
  const double pace = stepped.at("step.steady_s") / find_quantity(quantities, "step.steady_s").value;
  row.step = {stepped.at(source.quantity) / unit, *row.computed, (pace - 1) * kPercent};
}

void compute(ReproducedRow& row, const RowSource& source, RowQuantities& plans) {
  row.relation = source.more.relation;
  add_note(row, source.more.note);
  const auto& quantities = plans.of(source);
  const bool stored = source.analysis == Analysis::stored || source.analysis == Analysis::slowed;
  row.long_simulation = stored;
  if (stored && quantities.empty()) {
    return add_note(row, "not yet: the stored result is of other settings; tools/simulated makes it again");
  }
  const PlanQuantity& quantity = find_quantity(quantities, source.quantity);
  if (stored) add_note(row, quantity.label);
  row.computed = quantity.value / unit_factor(row.unit);
  add_step(row, source, plans);
  row.verdict = judge(row);
  if (row.step && !agrees(*row.step)) add_note(row, "the simulated step is not its closed form");
}

/// Of the rows of a paper that something computes.
std::vector<const RowSource*> sources_of(const std::string& paper) {
  std::vector<const RowSource*> out;
  for (const std::vector<std::string>& record : shipped_records(kPublished)) {
    const ReproducedRow row = published_row(record);
    const RowSource* source = source_of(row.id);
    if (source && (paper == "all" || row.source == paper)) out.push_back(source);
  }
  return out;
}

}  // namespace

std::vector<ReproducedRow> reproduce(const std::string& paper, bool quick, const RowsDone& done,
                                     Ranks* ranks) {
  if (std::find(papers().begin(), papers().end(), paper) == papers().end()) {
    std::vector<std::string> names = papers();
    names.emplace_back("circuits");  // published_circuits()
    fail_input(whole("reproduce"), "no paper '" + paper + "'", suggestion(paper, names));
  }
  RowQuantities plans(quick);
  if (quick && ranks) plans.simulate_quickly(sources_of(paper), ranks);
  std::vector<ReproducedRow> rows;
  if (ranks && !ranks->leads()) return rows;
  for (const std::vector<std::string>& record : shipped_records(kPublished)) {
    ReproducedRow row = published_row(record);
    if (paper == "all" || row.source == paper) rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ReproducedRow& row = rows[i];
    if (const RowSource* source = source_of(row.id)) {
      compute(row, *source, plans);
    } else {
      add_note(row, "not yet: nothing computes this row");
    }
    if (done) done(i + 1, rows.size());
  }
  return rows;
}

}  // namespace trainyard
