// Published figures of circuits.
#include "trainyard/circuits.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "base/errors.h"
#include "report/reproduction/shipped_records.h"
#include "trainyard/catalog.h"
#include "trainyard/circuit_truth.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::string_view kCircuitFile = "circuits.csv";
constexpr const char* kRailOptimized = "rail-optimized";

enum CircuitColumn : std::size_t {
  kId,
  kSource,
  kWhere,
  kQuantity,
  kPublishedFigure,
  kHigh,
  kRelation,
  kUnit,
  kKnown,
  kAssumptions,
  kWhy,
  kCircuitColumns
};

/// Cubes of chips, their faces joined by circuit switches into any torus (Jouppi et al. 2023, section 2).
struct CubesOfChips {
  std::int64_t chips = 4096;
  std::int64_t side = 4;

  std::int64_t cubes() const { return chips / (side * side * side); }
  /// One for every place on a face and every direction: links of one place of all cubes meet there.
  std::int64_t switches() const { return 3 * side * side; }
  /// Both faces of every cube.
  std::int64_t ports() const { return 2 * cubes(); }
};

using Figures = std::map<std::string, double>;

void add_cubes(Figures& out) {
  const CubesOfChips pod;
  const Catalog& catalog = *shipped_catalog();
  const double switches = real(pod.switches());
  const Watts optics = *catalog.circuit_switches.at("palomar").power * switches;
  const Watts chips = catalog.accelerators.at("tpu-v4").tdp * real(pod.chips);
  out["tpu4.switches"] = switches;
  out["tpu4.ports"] = real(pod.ports());
  out["tpu4.power"] = optics / (optics + chips);
}

void add_photonic_rails(Figures& out) {
  const CircuitsAnswer answer = study_circuits(make_plan(ScenarioText::load("llama3-circuits").resolve()));
  const auto find = [&](const std::string& name) -> const CircuitNetwork& {
    const auto found = std::find_if(answer.networks.begin(), answer.networks.end(),
                                    [&](const CircuitNetwork& n) { return n.name == name; });
    TY_ASSERT(found != answer.networks.end(), "the shipped scenario compares with rails");
    return *found;
  };
  const CircuitNetwork& circuits = find("circuits");
  const CircuitNetwork& rails = find(kRailOptimized);
  out["opus.overhead"] = answer.overhead();
  out["opus.power_all"] = rails.power_known / circuits.power_known;
  out["opus.power"] =
      (rails.power_known - rails.power_at_devices) / (circuits.power_known - circuits.power_at_devices);
  out["opus.cost"] = rails.price / circuits.price;
  out["opus.cost_switches"] =
      (rails.price - rails.price_at_devices) / (circuits.price - circuits.price_at_devices);
}

TruthAssumptions assumptions_of(const std::string& text) {
  if (text == "stated") return TruthAssumptions::stated;
  if (text == "ours") return TruthAssumptions::ours;
  TY_ASSERT(text == "none", "assumptions of data/circuits.csv: stated, ours or none");
  return TruthAssumptions::none;
}

bool stands(const CircuitTruth& row, double value) {
  constexpr double kNear = 1e-9;
  if (row.relation == "equal") return std::abs(value - row.published) <= kNear * row.published;
  if (row.relation == "at_most") return value <= row.published;
  if (row.relation == "at_least") return value >= row.published;
  TY_ASSERT(row.relation == "range", "relations of data/circuits.csv");
  return value >= row.published && value <= row.high;
}

std::string figure_text(double value, const std::string& unit) {
  return unit == "share" ? fmt::format("{:.2f}%", 100 * value) : fmt::format("{:.4g}", value);
}

std::string bound_text(const CircuitTruth& row) {
  const std::string first = figure_text(row.published, row.unit);
  if (row.relation == "at_most") return "<= " + first;
  if (row.relation == "at_least") return ">= " + first;
  return row.relation == "range" ? first + " to " + figure_text(row.high, row.unit) : first;
}

std::string verdict_text(const CircuitTruth& row) {
  if (!row.computed) return "not reproduced";
  return row.holds ? "holds" : "differs";
}

}  // namespace

std::vector<CircuitTruth> published_circuits() {
  Figures figures;
  add_cubes(figures);
  add_photonic_rails(figures);
  std::vector<CircuitTruth> out;
  for (const std::vector<std::string>& record : shipped_records(kCircuitFile)) {
    TY_ASSERT(record.size() == kCircuitColumns, "circuits.csv has eleven columns");
    CircuitTruth& row = out.emplace_back();
    row.id = record[kId];
    row.source = record[kSource];
    row.where = record[kWhere];
    row.quantity = record[kQuantity];
    row.published = shipped_number(kCircuitFile, record[kPublishedFigure]);
    row.high = shipped_number(kCircuitFile, record[kHigh]);
    row.relation = record[kRelation];
    row.unit = record[kUnit];
    row.recalled = record[kKnown] == "recalled";
    row.assumptions = assumptions_of(record[kAssumptions]);
    row.why = record[kWhy];
    if (row.assumptions == TruthAssumptions::none) continue;
    row.computed = figures.at(row.id);
    row.holds = stands(row, *row.computed);
  }
  return out;
}

bool stated_hold(const std::vector<CircuitTruth>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const CircuitTruth& row) {
    return row.assumptions != TruthAssumptions::stated || row.holds;
  });
}

TextTable circuit_truth_table(const std::vector<CircuitTruth>& rows) {
  constexpr const char* kWhose[] = {"the paper's", "ours", "none"};
  TextTable table{
      {"id", "quantity", "published", "ours", "verdict", "assumptions", "known", "source", "where", "why"},
      {}};
  for (const CircuitTruth& row : rows) {
    table.rows.push_back({row.id, row.quantity, bound_text(row),
                          row.computed ? figure_text(*row.computed, row.unit) : "", verdict_text(row),
                          kWhose[static_cast<std::size_t>(row.assumptions)],
                          row.recalled ? "recalled" : "read", row.source, row.where, row.why});
  }
  return table;
}

TextTable circuit_truth_records(const std::vector<CircuitTruth>& rows) {
  constexpr const char* kWhose[] = {"stated", "ours", "none"};
  TextTable table{{"id", "quantity", "published", "published_high", "relation", "unit", "computed", "holds",
                   "assumptions", "known", "source", "where", "why"},
                  {},
                  {"published", "published_high", "computed", "holds"}};
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const CircuitTruth& row : rows) {
    table.rows.push_back({row.id, row.quantity, number(row.published), number(row.high), row.relation,
                          row.unit, row.computed ? number(*row.computed) : "",
                          row.computed ? (row.holds ? "true" : "false") : "",
                          kWhose[static_cast<std::size_t>(row.assumptions)],
                          row.recalled ? "recalled" : "read", row.source, row.where, row.why});
  }
  return table;
}

}  // namespace trainyard
