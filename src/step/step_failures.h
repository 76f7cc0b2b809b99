// What fails while a step runs: how much of its rate every class of devices has left, moment by moment.
//
// Between two moments at which something fails or comes back, an operation goes on at a constant share of its
// pace alone: the least share that is left to the devices that take part.
//
//   - Compute stands still while its device is gone, and goes on where it stood.
//   - A pipeline transfer needs the device of the stage that sends and that of the one that receives.
//   - Gradient exchanges and gathers of weights go as fast as the slowest class of the stage's replicas.
//   - An expert all-to-all goes as fast as the slowest replica of its group.
//   - Wide-area transfers leave through the NIC: they are slower only when less of it is left than they need.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "step/graph.h"
#include "trainyard/errors.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

struct MappingPlan;
struct Networks;
struct ReplicaClass;
struct Scenario;
struct StepFailureInput;

/// A device of a class loses a share of one of its rates for a while.
struct StepOutage {
  std::int32_t stage = 0;
  std::int32_t replica = 0;  // class
  StepResource resource = StepResource::scale_out;
  double lost = 1;
  StepTime from = 0;
  StepTime until = kNeverInStep;
  std::size_t record = 0;  // of [[step_failure]]
  Location where;          // that of the record
};

class StepFailures {
 public:
  /// Nothing fails.
  StepFailures() = default;

  /// `wide_area_headroom`: the NIC's rate over that of the wide area, where it is more. Losses of one class
  /// and resource add up, to everything at most.
  StepFailures(std::vector<StepOutage> outages, std::int32_t stages, const std::vector<ReplicaClass>& classes,
               double wide_area_headroom = 1);

  bool none() const { return outages_.empty(); }
  const std::vector<StepOutage>& outages() const { return outages_; }

  /// Where intervals begin, the first at 0.
  const std::vector<StepTime>& intervals() const { return intervals_; }

  /// Share that is left to the devices of a class.
  double left_of(std::int32_t stage, std::int32_t replica, StepResource resource, std::size_t interval) const;

  /// Share of its pace alone that is left to an operation of a sealed graph.
  double left(const StepGraph& graph, OperationId id, std::size_t interval) const;

  /// Share of an operation's pace in an interval.
  using Pace = std::function<double(std::size_t interval)>;

  /// When something that takes `alone` at its full pace ends; kNeverInStep for what never does.
  StepTime end(StepTime start, StepTime alone, const Pace& pace) const;

  /// The same for an operation at left().
  StepTime end(const StepGraph& graph, OperationId id, StepTime start, StepTime alone) const;

  /// How much of the time between two moments the devices that an operation needs are gone.
  StepTime gone(const StepGraph& graph, OperationId id, StepTime from, StepTime until) const;

  /// How much of the time until a moment the devices of a class are gone.
  StepTime gone(std::int32_t stage, std::int32_t replica, StepTime until) const;

  /// What an operation waits for in vain: an outage for good of a device that takes part; nullptr: none.
  const StepOutage* for_good(const StepGraph& graph, OperationId id) const;

 private:
  /// Of whom a row of rates is.
  enum class Who : std::uint8_t { device, expert_group, stage };
  struct Rows {
    std::int32_t first = -1;  // -1: all is left
    std::int32_t second = -1;
  };

  std::size_t key(Who who, std::int32_t stage, std::int32_t replica, StepResource resource) const;
  void set_row(std::size_t key, std::vector<double> left);
  void add_devices();
  void add_groups(const std::vector<ReplicaClass>& classes);
  void add_stages();
  Rows rows(const StepGraph& graph, OperationId id, StepResource resource) const;
  StepTime gone(const Rows& rows, StepTime from, StepTime until) const;
  double at(std::int32_t row, std::size_t interval) const {
    return row < 0 ? 1 : rows_[static_cast<std::size_t>(row)][interval];
  }

  std::vector<StepOutage> outages_;
  std::int32_t stages_ = 1;
  std::int32_t replicas_ = 1;
  double headroom_ = 1;
  std::vector<StepTime> intervals_ = {0};
  std::vector<std::int32_t> row_;  // by key
  std::vector<std::vector<double>> rows_;
};

/// Nothing fails.
const StepFailures& no_step_failures();

/// The scenario's [[step_failure]], for these classes. Throws InputError as failed_places().
StepFailures step_failures(const Scenario& scenario, const MappingPlan& mapping,
                           const std::vector<ReplicaClass>& classes, const Networks& networks);

/// Refuses failures of networks that no transfer of their stage crosses. Throws InputError.
void check_step_failures(const StepGraph& graph, const StepFailures& failures,
                         const std::vector<StepFailureInput>& records);

}  // namespace trainyard
