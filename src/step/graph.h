// One training step as a graph: operations, the streams that execute them, and what waits for what.
//
// Equal ranks are one: an operation stands for all devices of a class, which is one pipeline stage of all
// replicas that nothing distinguishes. A stream belongs to a class and executes one operation at a time, as a
// CUDA stream or a communicator does. Times are whole picoseconds, so that ties are exact.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {

/// Picoseconds since the step began.
using StepTime = std::int64_t;

constexpr double kStepTimesPerSecond = 1e12;
constexpr StepTime kLongestStep = std::numeric_limits<StepTime>::max() / 4;  // 26 days

constexpr StepTime kNeverInStep = std::numeric_limits<StepTime>::max();

constexpr Seconds seconds_of(StepTime time) {
  return Seconds(static_cast<double>(time) / kStepTimesPerSecond);
}

/// Rounded to a picosecond. Throws InputError for what is negative, not a number, or longer than a step may
/// be.
StepTime step_time(Seconds time);

/// In which order a stream executes.
enum class StreamOrder : std::uint8_t {
  program,  // as the operations were added
  ready     // the one that has been ready for longest, of those the first added
};

struct StepStream {
  std::string name;  // "compute", "tensor", "gradient 2"
  StepResource resource = StepResource::compute;
  std::int32_t stage = 0;
  std::int32_t replica = 0;  // class of replicas; kSharedReplica: of all together
  StreamOrder order = StreamOrder::program;
};
constexpr std::int32_t kSharedReplica = -1;

/// Which devices a transfer joins beside those of its stream.
enum class TransferSpan : std::uint8_t {
  group,  // none, but the receiver of a pipeline's and the replicas that hold the same stage
  ends,   // the first and the last stage
  all     // all stages
};

/// What transfers of one kind have in common.
struct TransferClass {
  std::string name;
  StepWork work = StepWork::pipeline;
  StepResource network = StepResource::scale_out;
  std::int64_t ranks = 2;  // that take part
  double rate_share = 1;   // of a device's rate on that network
  double rounds = 1;       // delays of that network, one after another
  int passes = 1;          // over all other ranks: an all-reduce is two
  Seconds delay{0};        // besides, on other networks
  TransferSpan span = TransferSpan::group;
  bool idles = false;  // no transfer, but time that a program loses
};

/// Of the time of compute, what transfers beside it cost: they take processors and memory from it.
struct Slowed {
  StepTime by_weights = 0;
  StepTime by_gradients = 0;
  StepTime all() const { return by_weights + by_gradients; }
};

/// One operation. Compute has a duration; a transfer has bytes and a class, and a TransferModel times it.
struct StepOperation {
  std::uint32_t stream = 0;
  StepWork work = StepWork::forward;
  std::uint16_t transfer = 0;    // its TransferClass
  std::int32_t microbatch = -1;  // -1: of no microbatch
  std::int32_t depth = -1;       // position of its chunk on the way through the model
  std::int32_t layer = -1;       // first layer, counted in the chunk
  StepTime duration = 0;         // of compute
  Slowed slowed = {};            // of the duration
  double bytes = 0;              // that a device sends
  double memory_at_start = 0;    // bytes that a device of the class takes, or gives back
  double memory_at_end = 0;
};

using OperationId = std::uint32_t;
constexpr OperationId kNoOperation = std::numeric_limits<OperationId>::max();

/// Operations and dependencies; filled, then sealed.
class StepGraph {
 public:
  std::uint32_t add_stream(StepStream stream);
  std::uint16_t add_class(TransferClass transfer_class);
  /// Operations of a stream of program order run in the order in which they are added.
  OperationId add(const StepOperation& operation);
  void depend(OperationId later, OperationId earlier);
  /// Adds to what an operation takes and gives back.
  void change_memory(OperationId id, double at_start, double at_end) {
    operations_[id].memory_at_start += at_start;
    operations_[id].memory_at_end += at_end;
  }

  /// Checks the graph and makes it ready to execute. Throws InputError for an empty graph, unknown streams,
  /// classes and operations, negative durations and bytes, and for a cycle, naming an operation on it.
  void seal();

  std::size_t size() const { return operations_.size(); }
  std::size_t dependencies() const { return edges_; }
  const StepOperation& operation(OperationId id) const { return operations_[id]; }
  const StepStream& stream_of(OperationId id) const { return streams_[operations_[id].stream]; }
  const TransferClass& class_of(OperationId id) const { return classes_[operations_[id].transfer]; }
  const std::vector<StepOperation>& operations() const { return operations_; }
  const std::vector<StepStream>& streams() const { return streams_; }
  const std::vector<TransferClass>& classes() const { return classes_; }

  /// The stage that waits for a pipeline transfer; of other operations their own. After seal().
  std::int32_t receiving_stage(OperationId id) const;

  /// After seal(): what waits for an operation, what it waits for (streams' order aside), and a stream's
  /// operations as they were added.
  std::span<const OperationId> successors(OperationId id) const { return successors_.of(id); }
  std::span<const OperationId> predecessors(OperationId id) const { return predecessors_.of(id); }
  std::span<const OperationId> on_stream(std::uint32_t stream) const { return by_stream_.of(stream); }

  /// For messages: "operation 7 (forward, stage 2, stream compute, microbatch 3)".
  std::string describe(OperationId id) const;

 private:
  /// Lists of operations, one after another.
  struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<OperationId> items;
    std::span<const OperationId> of(std::size_t i) const {
      return std::span(items).subspan(begin[i], begin[i + 1] - begin[i]);
    }
  };
  struct Edge {
    OperationId later;
    OperationId earlier;
  };

  void check_operations() const;
  void check_cycles() const;

  std::vector<StepOperation> operations_;
  std::vector<StepStream> streams_;
  std::vector<TransferClass> classes_;
  std::vector<Edge> pending_;
  std::size_t edges_ = 0;
  Lists successors_;
  Lists predecessors_;
  Lists by_stream_;
};

}  // namespace trainyard
