#include "step/timeline/busy_shares.h"

#include <algorithm>

#include "step/executor.h"
#include "step/replica_classes.h"
#include "step/timeline/link_rates.h"

namespace trainyard {
namespace {

constexpr std::size_t kSpans = 240;

/// In the order of StepResource.
constexpr double BusyShares::*kShares[kStepResources] = {&BusyShares::compute, &BusyShares::scale_up,
                                                         &BusyShares::scale_out, &BusyShares::wide_area,
                                                         &BusyShares::host};

class BusyTime {
 public:
  BusyTime(const StepGraph& graph, const Execution& run, const Networks& networks)
      : graph_(graph),
        run_(run),
        networks_(networks),
        span_(static_cast<double>(run.end) / static_cast<double>(kSpans)),
        out_(kSpans) {}

  /// On a share of all devices.
  void add(OperationId id, double devices) {
    const StepOperation& op = graph_.operation(id);
    const bool sends = is_transfer(op.work);
    const StepResource resource = sends ? graph_.class_of(id).network : StepResource::compute;
    const double start = static_cast<double>(run_.start[id]);
    const double end = static_cast<double>(run_.freed[id]);
    if (end <= start) return;
    const double busy = sends ? op.bytes / rate_of(networks_, resource) * kStepTimesPerSecond : end - start;
    const double in_time = devices * busy / (end - start) / span_;
    const std::size_t until = span_at(end);
    for (std::size_t i = span_at(start); i <= until; ++i) {
      const double from = static_cast<double>(i) * span_;
      const double inside = std::min(end, from + span_) - std::max(start, from);
      out_[i].*kShares[static_cast<std::size_t>(resource)] += std::max(0.0, inside) * in_time;
    }
  }

  const std::vector<BusyShares>& spans() const { return out_; }

 private:
  std::size_t span_at(double time) const {
    return std::min(kSpans - 1, static_cast<std::size_t>(time / span_));
  }

  const StepGraph& graph_;
  const Execution& run_;
  const Networks& networks_;
  double span_;
  std::vector<BusyShares> out_;
};

}  // namespace

std::vector<BusyShares> busy_in_time(const StepGraph& graph, const std::vector<ReplicaClass>& classes,
                                     std::int32_t stages, const Execution& run, const Networks& networks) {
  BusyTime busy(graph, run, networks);
  double replicas = 0;
  for (const ReplicaClass& c : classes) replicas += real(c.replicas);
  const double all = replicas * real(stages);
  for (OperationId id = 0; id < graph.size(); ++id) {
    const std::int32_t replica = graph.stream_of(id).replica;
    const double copies =
        replica == kSharedReplica ? replicas : real(classes[static_cast<std::size_t>(replica)].replicas);
    busy.add(id, copies / all);
  }
  return busy.spans();
}

BusyShares mean_of(const std::vector<BusyShares>& spans) {
  BusyShares out;
  for (const BusyShares& span : spans) {
    for (const auto share : kShares) out.*share += span.*share / static_cast<double>(spans.size());
  }
  return out;
}

}  // namespace trainyard
