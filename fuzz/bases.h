// Scenarios that fuzzers of whole runs change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard::fuzz {

/// Keys with values as TOML.
using Element = std::map<std::string, std::string>;

/// A scenario, and of sections that may stand several times the one element that it has.
struct Base {
  ScenarioText text;
  std::map<std::string, Element> repeated;
};

/// Small ones of their own first, then those that the program ships with.
const std::vector<std::string>& base_names();

/// By a name of these.
const Base& base(const std::string& name);

}  // namespace trainyard::fuzz
