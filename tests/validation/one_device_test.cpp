// Steps of torchtitan's models, wrapped as it wraps them, on one H100 and one H200
// (data/one_device_steps.csv; docs/validation.md, "Torchtitan on one device"). No constant of runs was fitted
// to them; how often tokens are sorted, and what is copied around gathers, was read off the kernels of one
// mixture and one dense model.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "cost/calibrated_compute.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"
#include "trainyard/run_prediction.h"
#include "trainyard/validation.h"

namespace trainyard {
namespace {

struct Errors {
  double sum = 0;
  double runs = 0;

  void add(double ratio) {
    sum += std::abs(ratio - 1);
    ++runs;
  }
  double mean() const { return sum / runs; }
};

/// What a cluster's program adds to a step, and a loop on one device does not.
Seconds overhead(const Plan& plan) {
  const Calibration* calibration = calibration_in_force(plan.scenario);
  return software_of(plan.scenario).step_overhead + (calibration ? calibration->step_overhead : Seconds(0));
}

TEST(OneDevice, StepsAndMemoryAreNearWhatWasMeasured) {
  const std::string file = std::string(TRAINYARD_SOURCE_DIR) + "/data/one_device_steps.csv";
  std::map<std::string, Errors> times;
  Errors memory;
  for (const MeasuredRun& run : read_run_file(read_file(file), file, *shipped_catalog()).runs) {
    if (!run.counts()) continue;
    const RunPrediction p = predict_run(run, *shipped_catalog(), true);
    EXPECT_NEAR(*p.timeline / p.step, 1, 0.01) << run.id;
    const double ratio = (p.step - overhead(p.plan)) / measured_step(run, *shipped_catalog());
    const std::string kind = run.shape.experts > 0 ? "mixtures"
                             : run.compiled        ? "dense, compiled"
                                                   : "dense, eager";
    times[kind].add(ratio);
    memory.add(p.plan.mapping.device.total() / *run.measured_memory);
    EXPECT_NEAR(ratio, 1, 0.12) << run.id;
  }
  EXPECT_EQ(times["dense, compiled"].runs, 13);
  EXPECT_EQ(times["dense, eager"].runs, 6);
  EXPECT_EQ(times["mixtures"].runs, 9);
  EXPECT_LT(times["dense, compiled"].mean(), 0.05);
  EXPECT_LT(times["dense, eager"].mean(), 0.06);
  EXPECT_LT(times["mixtures"].mean(), 0.07);
  EXPECT_LT(memory.mean(), 0.1);
}

}  // namespace
}  // namespace trainyard
