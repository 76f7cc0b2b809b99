// Which plan and which quantity gives each published row.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

enum class Analysis {
  plan,
  rail,
  network,  // the scenario's designs, counted on their graphs
  stored,   // a long simulation's result, from data/simulated.csv
  least,    // the least completion time of the scenario's simulation
  spare,    // authorities of the shipped grid: an input as published, beside what it can be checked against
  trimmed,  // the rail-only analysis's traffic, walked over the designs' graphs
};

/// Where a row's computed value is read.
struct RowSource {
  const char* id;
  Analysis analysis;
  const char* scenario;
  const char* quantity;
  const char* relation = "=";             // "<=": the published value is an upper bound
  std::vector<const char*> changes = {};  // of the scenario
  const char* note = "";
};

/// The source of a row, or nullptr when nothing computes it yet.
const RowSource* source_of(const std::string& id);

/// What a row without a source waits for.
std::string missing_reason(const std::string& id);

}  // namespace trainyard
