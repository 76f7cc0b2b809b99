// [training], [model] and [measurement]: what is trained, with which program, how long; what a run measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

enum class ScalingLaw { kaplan, hoffmann1, hoffmann2, hoffmann3 };

/// What a run hides beside compute beyond its software's habits.
enum class Hidden { tensor, gradients, pipeline, expert };

/// [training]: with which program, how long, on how much data.
struct TrainingInput {
  std::optional<std::string> software;              // key of the catalog; empty: the accelerator's
  bool compiled = false;                            // a compiler fuses the elementwise operators
  std::vector<Hidden> hides;                        // beyond the program's habits
  bool hides_wholly = false;                        // nothing of what `hides` names is left exposed
  std::vector<Hidden> exposes;                      // although the program hides it
  std::optional<bool> graphs;                       // captured graphs; empty: as the program does
  bool blocking_launches = false;                   // the host waits for every kernel
  std::optional<ContextExchange> context_exchange;  // empty: as the program does
  std::optional<bool> low_attention;         // attention in precision.compute; empty: as the program does
  std::optional<bool> low_output;            // the output matrix too
  std::optional<std::int64_t> adapter_rank;  // low-rank adapters beside frozen weights
  double expert_imbalance = 1;               // tokens of the device with most over the mean of its group
  ScalingLaw law = ScalingLaw::hoffmann2;
  std::optional<Seconds> duration;
  std::optional<Flop> compute_budget;
  double law_utilization = 1.0;
  std::optional<double> tokens;
  std::optional<double> batch_tokens;
};

/// [model]: a catalog entry, with changes; or a shape; or a parameter count from which a shape follows.
struct ModelInput {
  std::optional<std::string> name;
  std::optional<double> parameters;
  ModelShape shape;  // resolved: the entry with the scenario's changes
};

/// What a run of this scenario measured: for `trainyard validate --runs`. Empty: nothing.
struct MeasurementInput {
  std::string id;      // empty: the title
  std::string source;  // of the numbers
  std::optional<Seconds> step_time;
  std::optional<Bytes> memory;  // peak of a device
  std::string left_out;         // why errors and fits leave the run out; empty: they do not
  bool from_memory = false;     // quoted so: no part in fits
  std::string confidence;
};

}  // namespace trainyard
