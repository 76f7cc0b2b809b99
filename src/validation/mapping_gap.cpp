#include "trainyard/mapping_gap.h"

#include <algorithm>

#include "base/stopping.h"
#include "scenario/in_force.h"
#include "search/batch_mappings.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "validation/run_prediction.h"

namespace trainyard {
namespace {

/// Takes a search's best where it is better.
void take(MappingGap& gap, const BatchMappings& found) {
  gap.tried += found.tried;
  gap.fitting += found.fitting;
  if (!found.best || found.step >= gap.best) return;
  gap.best = found.step;
  gap.mapping = *found.best;
}

void search(MappingGap& gap, const Plan& plan) {
  // A rate that counts what is computed again would be another one without it.
  const bool counted = gap.run.flop_convention == FlopConvention::hardware_96;
  const HeldBatch held{gap.run.global_batch, plan.mapping.devices_used, counted};
  take(gap, best_of_batch(plan.scenario, plan.facility, plan.model, held));
  if (plan.scenario.mapping.sequence_parallel || !software_of(plan.scenario).sequence_parallel) return;
  Scenario divided = plan.scenario;
  divided.mapping.sequence_parallel = true;
  take(gap, best_of_batch(divided, plan.facility, plan.model, held));
}

MappingGap gap_of(const MeasuredRun& run, const Catalog& catalog) {
  MappingGap out;
  out.run = run;
  try {
    const RunCase submitted(run, catalog);
    const Plan& plan = submitted.plan();
    out.submitted = out.best = plan.step.step;
    out.submitted_fits = submitted.fits();
    out.interval = plan.step.step_interval;
    out.own = out.mapping = plan.scenario.mapping;
    search(out, plan);
  } catch (const InputError& error) {
    out.refused = error.what();
  } catch (const Infeasible& error) {
    out.refused = error.what();
  }
  return out;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

MappingGaps mapping_gaps(const std::vector<MeasuredRun>& runs, const Catalog& catalog) {
  constexpr double kNear = 5;
  MappingGaps out;
  std::vector<double> gaps;
  for (const MeasuredRun& run : runs) {
    pause_point();
    out.runs.push_back(gap_of(run, catalog));
    const MappingGap& gap = out.runs.back();
    if (!gap.refused.empty()) continue;
    gaps.push_back(gap.gap_pct());
    if (gaps.back() <= kNear) ++out.within_5_pct;
  }
  out.compared = gaps.size();
  out.median_gap_pct = median(std::move(gaps));
  return out;
}

}  // namespace trainyard
