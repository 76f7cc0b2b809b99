#include "report/data/step_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/show.h"
#include "scenario/choices/step.h"
#include "scenario/step_faults.h"
#include "step/timeline.h"
#include "trainyard/step.h"

namespace trainyard {

std::vector<std::pair<std::string, double>> named_shares(const BusyShares& shares) {
  return {{"compute", shares.compute},
          {"scale-up", shares.scale_up},
          {"scale-out", shares.scale_out},
          {"wide area", shares.wide_area},
          {"host", shares.host}};
}

std::vector<std::pair<std::string, Seconds>> named_times(const ExposedTimes& e) {
  return {{"tensor", e.tensor},   {"context", e.context},   {"pipeline", e.pipeline}, {"expert", e.expert},
          {"weights", e.weights}, {"gradient", e.gradient}, {"offload", e.offload}};
}

std::string step_failure_sentence(const StepFailureFacts& f) {
  const std::string stages = f.stages == 1 ? fmt::format("stage {}", f.stage)
                                           : fmt::format("stages {} to {}", f.stage, f.stage + f.stages - 1);
  std::string out = fmt::format("{} of {}", stages, counted(f.replicas, "replica"));
  const std::string_view what = choice_name(f.what);
  out += taken_by(f.what) == FaultTakes::everything
             ? fmt::format(", {} gone", what)
             : fmt::format(" without {} of {}", f.lost < 1 ? show_share(f.lost) : "all", what);
  return out + " from " + show(f.from) + (f.until ? " to " + show(*f.until) : " on");
}

std::string step_operation_name(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  std::string name(is_transfer(op.work) ? graph.class_of(id).name : std::string(step_work_name(op.work)));
  std::replace(name.begin(), name.end(), '_', ' ');
  return op.microbatch < 0 ? name : fmt::format("{} {}", name, op.microbatch);
}

std::vector<std::size_t> evenly_chosen(std::size_t all, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t n = std::min(all, std::max<std::size_t>(most, 1));
  for (std::size_t i = 0; i < n; ++i) out.push_back(n == 1 ? 0 : i * (all - 1) / (n - 1));
  return out;
}

std::string stage_label(const StepSimulation& step, const StageTimeline& s) {
  return step.detail->model.replicas.size() > 1 ? fmt::format("{} x{}", s.stage, s.replicas)
                                                : std::to_string(s.stage);
}

}  // namespace trainyard
