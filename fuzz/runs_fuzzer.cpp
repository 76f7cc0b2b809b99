// Files of measured runs: refused with findings, or predicted with finite, positive numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/validation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const Catalog& catalog = *shipped_catalog();
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const ValidatedRun& v : validate_runs(read_measured_runs(text, "runs.csv", catalog), catalog).runs) {
      if (!v.refused.empty()) continue;
      const double memory = v.memory_predicted->si();
      if (!std::isfinite(memory) || memory <= 0) std::abort();
      if (!std::isfinite(v.predicted.value()) || *v.predicted <= 0 ||
          !std::isfinite(v.plan_error_pct().value_or(0)))
        std::abort();
    }
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
