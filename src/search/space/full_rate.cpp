#include "search/space/full_rate.h"

#include <algorithm>
#include <vector>

#include "cost/compute_times.h"
#include "model/model.h"
#include "trainyard/facility.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

/// Of the FLOP of a layer those that every program does.
double certain_share(const std::vector<Operator>& operators) {
  double all = 0;
  double certain = 0;
  for (const Operator& op : operators) {
    if (!op.matmul) continue;
    const double flop = op.forward_flop + op.backward_flop;
    all += flop;
    if (!op.attention_matrix) certain += flop;
  }
  return all > 0 ? certain / all : 1;
}

}  // namespace

void assume_full_rate(Plan& plan) {
  const ModelPlan& model = plan.model;
  const double share = std::min(certain_share(model.operators), certain_share(model.dense_operators));
  const double flop_per_token =
      model.sequence_training.si() * share / static_cast<double>(model.shape.sequence);
  const double devices = static_cast<double>(plan.facility.devices);
  assume_rate(plan, devices * peak_rate(plan.scenario).si() / flop_per_token);
}

void assume_rate(Plan& plan, double tokens_per_second) {
  plan.mapping.devices_used = plan.facility.devices;
  plan.step.tokens_per_second = tokens_per_second;
  plan.step.tokens = run_tokens(plan.scenario.training, plan.model.shape);
  plan.step.days_to_train = Seconds(plan.step.tokens / tokens_per_second);
  plan.cost = plan_cost(plan.scenario, plan.facility, plan.step.days_to_train, plan.step.tokens);
}

}  // namespace trainyard
