#include "cost/cost_case.h"

#include <cmath>

#include "cost/calibrated_compute.h"
#include "cost/compute_times.h"
#include "cost/exchange_times.h"
#include "cost/measured_operators.h"
#include "facility/networks.h"
#include "model/model.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// What runs on this accelerator missed when they were left out of the fit, times what runs of this program
/// did in proportion. Runs of programs that others change and tune for themselves are seldom faster, often
/// slower.
Interval step_interval_of(const Scenario& scenario, const Calibration* calibration,
                          const Software& software) {
  Interval out;
  if (!calibration) {
    out.basis = "an idealisation has no error bar";
    return out;
  }
  const bool borrowed = borrows_calibration(scenario, *calibration);
  const double half =
      std::hypot(calibration->interval * software.interval, borrowed ? calibration->interval_elsewhere : 0);
  out.low = std::exp(-half);
  out.high = std::exp(std::hypot(half, software.slower));
  const std::string accelerator =
      calibration->info.name.empty() ? "other accelerators: an estimate" : calibration->info.name;
  out.basis = "runs left out of the fit, on " + accelerator + " and by " + software.info.name;
  if (software.slower > 0) out.basis += "; more were slower than faster";
  if (borrowed) out.basis += ", wider: none was on the " + accelerator_of(scenario).info.name;
  return out;
}

}  // namespace

CostCase::CostCase(const Scenario& s, const ModelPlan& m)
    : scenario(s),
      model(m),
      software(software_of(s)),
      calibration(calibration_in_force(s)),
      networks(networks_of(s)),
      domain_devices(real(s.catalog->hb_domains.at(s.facility.hb_domain).devices)),
      element_bytes(bytes_of(s.precision.communication)),
      gradient_bytes(bytes_of(exchanged_gradients(s))),
      peak(peak_rate(s)),
      schedule(schedule_rules(s.step.schedule)),
      run_tokens(trainyard::run_tokens(s.training, m.shape)),
      step_interval(step_interval_of(s, calibration, software)) {
  if (!calibration) return;
  clock.emplace(layer_clock(s, *calibration));
  operators = operators_in_force(s, *calibration);
  if (operators && !operators->exchanges()) operators.reset();
}

}  // namespace trainyard
