// What a measured number counts: from a step's time to the row's metric and back.
#include <fmt/core.h>

#include "base/errors.h"
#include "catalog/choices.h"
#include "model/model.h"
#include "trainyard/catalog.h"
#include "trainyard/measured_runs.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {
namespace {

constexpr double kTera = 1e12;
constexpr double kPercent = 0.01;

/// Narayanan et al. 2021, equation 3: four passes (forward, forward again, twice backward) of 24 s l h^2 (1 +
/// s / 6h + V / 16 l h) each.
Flop hardware_flop(const MeasuredRun& run) {
  constexpr double kFourPasses = 96;
  const double s = real(run.shape.sequence);
  const double l = real(run.shape.blocks());
  const double h = real(run.shape.hidden);
  const double v = real(run.shape.vocabulary);
  return Flop(kFourPasses * run.tokens_per_step() * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)));
}

/// Chowdhery et al. 2022, appendix B.
Flop utilization_flop(const MeasuredRun& run) {
  const double parameters = count_parameters(run.shape).active;
  const double width = real(run.shape.heads) * real(run.shape.head_size_or_even());
  const double attention = 12 * real(run.shape.blocks()) * width * real(run.shape.sequence);
  return Flop((6 * parameters + attention) * run.tokens_per_step());
}

double forward_flop(const std::vector<Operator>& operators) {
  double sum = 0;
  for (const Operator& op : operators) sum += op.forward_flop;
  return sum;
}

/// Three passes of every matrix product, the causal half of attention.
Flop model_flop(const MeasuredRun& run) {
  constexpr double kPasses = 3;
  const ModelShape& shape = run.shape;
  const double dense = real(shape.experts > 0 ? shape.dense_before(shape.blocks()) : shape.blocks());
  double forward = forward_flop(head_operators(shape));
  forward += dense * forward_flop(layer_operators(shape, false, CausalAttention::half));
  if (shape.experts > 0) {
    forward +=
        (real(shape.blocks()) - dense) * forward_flop(layer_operators(shape, true, CausalAttention::half));
  }
  return Flop(kPasses * forward * real(run.global_batch));
}

}  // namespace

Flop counted_flop(const MeasuredRun& run) {
  switch (run.flop_convention) {
    case FlopConvention::hardware_96:
      return hardware_flop(run);
    case FlopConvention::mfu:
      return utilization_flop(run);
    case FlopConvention::model:
      return model_flop(run);
  }
  return model_flop(run);
}

FlopRate run_peak(const MeasuredRun& run, const Catalog& catalog) {
  if (run.peak) return *run.peak;
  const auto& peak = catalog.accelerators.at(run.accelerator_key).dense.at(run.precision);
  TY_ASSERT(peak.has_value(), run.id);  // the reader refuses such rows
  return *peak;
}

namespace {

/// Metric times step time: both directions divide by it.
double metric_seconds(const MeasuredRun& run, const Catalog& catalog) {
  const double devices = real(run.devices);
  switch (run.metric) {
    case RunMetric::step_time:
      return 1;
    case RunMetric::tokens_per_device:
      return run.tokens_per_step() / devices;
    case RunMetric::flops_per_device:
      return counted_flop(run).si() / devices;
    case RunMetric::mfu:
      return counted_flop(run).si() / (devices * run_peak(run, catalog).si());
  }
  return 1;
}

}  // namespace

namespace {

/// FLOP a second of a device that cannot be less, whatever the run did besides.
double least_rate(const MeasuredRun& run, const Catalog& catalog) {
  constexpr double kWithoutWeightGradients = 2.0 / 3;
  const bool reports_flop = run.metric == RunMetric::flops_per_device || run.metric == RunMetric::mfu;
  if (reports_flop) return *run.value * (run.metric == RunMetric::mfu ? run_peak(run, catalog).si() : 1);
  const double passes = run.adapter_rank ? kWithoutWeightGradients : 1;
  return passes * model_flop(run).si() / real(run.devices) / measured_step(run, catalog).si();
}

}  // namespace

std::string beyond_peak(const MeasuredRun& run, const Catalog& catalog) {
  if (!run.value) return {};
  const double rate = least_rate(run, catalog);
  const double peak = run_peak(run, catalog).si();
  if (rate <= peak) return {};
  const bool by_flop = run.metric == RunMetric::flops_per_device;
  return fmt::format("{:.4g} {} {} more than the peak of '{}' at {}, {:.4g} TFLOP/s",
                     in_file_units(run.metric, *run.value), file_unit(run.metric),
                     by_flop ? "is" : fmt::format("makes {:.4g} TFLOP/s of a device,", rate / kTera),
                     run.accelerator_key, choice_name(run.precision), peak / kTera);
}

Seconds measured_step(const MeasuredRun& run, const Catalog& catalog) {
  TY_ASSERT(run.value.has_value(), run.id);
  if (run.metric == RunMetric::step_time) return Seconds(*run.value);
  return Seconds(metric_seconds(run, catalog) / *run.value);
}

double metric_of_step(const MeasuredRun& run, Seconds step, const Catalog& catalog) {
  if (run.metric == RunMetric::step_time) return step.si();
  return metric_seconds(run, catalog) / step.si();
}

double in_file_units(RunMetric metric, double si) {
  switch (metric) {
    case RunMetric::flops_per_device:
      return si / kTera;
    case RunMetric::mfu:
      return si / kPercent;
    case RunMetric::step_time:
    case RunMetric::tokens_per_device:
      return si;
  }
  return si;
}

std::string_view metric_name(RunMetric metric) {
  switch (metric) {
    case RunMetric::step_time:
      return "step_time";
    case RunMetric::tokens_per_device:
      return "tokens_per_second_per_device";
    case RunMetric::flops_per_device:
      return "flops_per_device";
    case RunMetric::mfu:
      return "mfu";
  }
  return "";
}

std::string_view file_unit(RunMetric metric) {
  switch (metric) {
    case RunMetric::step_time:
      return "s";
    case RunMetric::tokens_per_device:
      return "token/s";
    case RunMetric::flops_per_device:
      return "TFLOP/s";
    case RunMetric::mfu:
      return "%";
  }
  return "";
}

}  // namespace trainyard
