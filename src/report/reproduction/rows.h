// Which plan and which quantity gives each published row.
#pragma once

#include <string>
#include <vector>

#include "trainyard/reproduction.h"

namespace trainyard {

enum class Analysis {
  plan,
  rail,
  network,  // the scenario's designs, counted on their graphs
  stored,   // a long simulation's result, from data/simulated.csv
  least,    // the least completion time of the scenario's simulation
  spare,    // authorities of the shipped grid: an input as published, beside what it can be checked against
  slowed,   // the scenario's simulated step, its pipeline transfers as slow as in a stored simulation
  trimmed,  // the rail-only analysis's traffic, walked over the designs' graphs
};

/// Where a row's computed value is read.
struct RowSource {
  struct More {
    Relation relation = Relation::equal;
    std::vector<const char*> changes = {};  // of the scenario
    const char* note = "";
    const char* simulation = nullptr;         // slowed: the scenario of the stored simulation
    std::vector<const char*> transport = {};  // slowed: its changes
  };

  const char* id;
  Analysis analysis;
  const char* scenario;
  const char* quantity;
  More more = {};
};

/// The rows of each paper.
const std::vector<RowSource>& hotnets24_rows();
const std::vector<RowSource>& railonly23_rows();

/// The source of a row, or nullptr when nothing computes it yet.
const RowSource* source_of(const std::string& id);

}  // namespace trainyard
