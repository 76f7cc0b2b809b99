// [[sweep]] and [rail]: one setting over many values; the size of an HB domain.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

struct SectionPlaces;  // trainyard/errors.h

/// One line of a sweep's chart: settings by key path.
struct SweepSeries {
  std::string label;
  std::map<std::string, std::string> set;            // key path -> TOML text
  std::shared_ptr<const SectionPlaces> places = {};  // in the text, and of the key paths in `set`
};

/// [[sweep]]: one key over many values, once for each series.
struct SweepInput {
  std::string name;
  std::string title;
  std::string key;                  // key path of the scenario that varies
  std::vector<std::string> values;  // TOML texts; or from `from` to `to`
  std::string from;
  std::string to;
  std::int64_t points = 0;
  std::string quantity = "step.exposed_share";
  bool log_scale = true;
  std::vector<SweepSeries> series;
  std::shared_ptr<const SectionPlaces> places = {};  // in the text, and of its values as "values[0]"
};

/// [rail]: the analysis of HB-domain size (rail-only '23, equations 1 to 3).
struct RailInput {
  std::optional<std::int64_t> gpus;         // N; absent: the plan's devices
  std::optional<std::int64_t> domain_size;  // K; absent: the catalog's
  std::optional<double> batch_tokens;       // b, in tokens
  std::optional<double> collective_rounds;  // M_cc
  std::optional<double> block_parameters;   // of one transformer block; absent: counted from the shape
  std::vector<std::int64_t> domain_sizes;   // K's of Fig. 7
  std::vector<std::int64_t> clusters;       // N's of Fig. 7
  std::vector<double> batches;              // b's of Fig. 8, in tokens
};

}  // namespace trainyard
