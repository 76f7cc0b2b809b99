// A scenario from the command line's options; files that a verb writes.
#pragma once

#include <unistd.h>

#include <cstdio>

#include "cli/flags.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"
#include "trainyard/planning.h"
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

/// A bar on a terminal, nothing elsewhere.
inline Progress progress_bar(const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [what](std::size_t done, std::size_t total) {
    constexpr std::size_t kSteps = 100;
    if (total < kSteps || (done % (total / kSteps) != 0 && done != total)) return;
    std::fprintf(stderr, "\r%s %3zu%%%s", what.c_str(), done * 100 / total, done == total ? "\n" : "");
  };
}

}  // namespace trainyard
