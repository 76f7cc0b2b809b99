// A scenario from the command line's options; files that a verb writes.
#pragma once

#include <cstdio>

#include "cli/flags.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"
#include "trainyard/printable.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

/// Reads the scenario and lays every --set over it.
inline ScenarioText load(const ScenarioOptions& options) {
  ScenarioText text = ScenarioText::load(options.scenario, options.catalog_folders);
  for (const std::string& change : options.sets) text.set(change);
  return text;
}

/// Writes a file and says so on standard error.
inline void write_announced(const char* what, const std::string& path, const std::string& content) {
  write_file(path, content);
  std::fprintf(stderr, "%s: %s\n", what, printable(path).c_str());
}

}  // namespace trainyard
