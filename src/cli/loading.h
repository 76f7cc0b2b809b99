// A scenario from the command line's options; files that a verb writes.
#pragma once

#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "catalog/catalog.h"
#include "cli/flags.h"
#include "scenario/scenario.h"
#include "search/sweep.h"

namespace trainyard {

/// The shipped catalog with folders of the user's own; every entry names known ones.
inline Catalog catalog_with(const std::vector<std::string>& folders) {
  Catalog catalog = *shipped_catalog();
  for (const std::string& folder : folders) extend_from_folder(catalog, folder);
  Findings findings;
  check_references(catalog, findings);
  findings.throw_if_any();
  return catalog;
}

/// Reads the scenario and lays every --set over it.
inline ScenarioText load(const ScenarioOptions& options) {
  ScenarioText text = ScenarioText::load(options.scenario, options.catalog_folders);
  for (const std::string& change : options.sets) text.set(change);
  return text;
}

/// Writes a file and says so on standard error.
inline void write_announced(const char* what, const std::string& path, const std::string& content) {
  write_file(path, content);
  std::fprintf(stderr, "%s: %s\n", what, path.c_str());
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
