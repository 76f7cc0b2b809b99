// What papers published about circuits, beside what the program makes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/report/tables.h"

namespace trainyard {

/// Whose assumptions a figure is computed with.
enum class TruthAssumptions { stated, ours, none };

/// A row of data/circuits.csv.
struct CircuitTruth {
  std::string id;
  std::string source;
  std::string where;
  std::string quantity;
  double published = 0;
  double high = 0;       // the same, or the end of a range
  std::string relation;  // "equal", "at_most", "at_least", "range"
  std::string unit;
  bool recalled = false;  // nobody of the project has read it in its source
  TruthAssumptions assumptions = TruthAssumptions::none;
  std::optional<double> computed;  // nothing: not reproduced
  bool holds = false;
  std::string why;  // whose assumptions; why not
};

/// Every row: computed with the paper's assumptions where it states them, else with those of the shipped
/// scenario llama3-circuits, or not at all.
std::vector<CircuitTruth> published_circuits();

/// Whether every row with the paper's own assumptions holds.
bool stated_hold(const std::vector<CircuitTruth>& rows);

TextTable circuit_truth_table(const std::vector<CircuitTruth>& rows);
/// The same with numbers in place of words, for JSON and CSV; what is not reproduced has no `computed`.
TextTable circuit_truth_records(const std::vector<CircuitTruth>& rows);

}  // namespace trainyard
