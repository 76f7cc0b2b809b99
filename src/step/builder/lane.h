// A stage of a replica class while the graph is built: its streams, and what its next operations wait for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "step/graph.h"

namespace trainyard {
struct LayerPass;
struct MappingPlan;
struct PassTransfer;
}  // namespace trainyard

namespace trainyard::builder {

struct Settings;

using Operations = std::vector<OperationId>;

inline void append(Operations& to, const Operations& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Kept from step to step.
struct Lane {
  std::int32_t replica = 0;  // class
  std::int32_t stage = 0;

  // Streams; those that the plan does not use are 0.
  std::uint32_t compute = 0;
  std::uint32_t tensor = 0;
  std::uint32_t context = 0;
  std::uint32_t expert = 0;
  std::uint32_t forward = 0;   // to the next stage
  std::uint32_t backward = 0;  // to the one before
  std::uint32_t weights = 0;
  std::uint32_t to_host = 0;
  std::uint32_t from_host = 0;

  OperationId last = kNoOperation;  // on the compute stream
  Operations blocking;              // what its next operation waits for besides
  Operations layer_ends;            // of passes through layers, in order
  Operations gathers_anew;          // what the last gather that was made anew waits for
  std::int64_t gathers_behind = 0;  // gathers that are asked for behind it, but not known to be
  Operations pass_ends;             // of the step's passes, in order
  std::map<std::int32_t, Operations> weights_ready;  // by depth: what its next forward pass waits for
  std::map<std::int64_t, OperationId> on_host;       // by microbatch and depth
  Operations sends;                                  // to the host, in order
};

/// The lanes with their streams, by replica class, then by stage.
std::vector<Lane> add_lanes(StepGraph& graph, const MappingPlan& mapping, const LayerPass& costs,
                            const Settings& settings, std::int32_t replica_classes);

/// What is sent between two stages that follow each other. Those of an HB domain are next to each other where
/// it holds consecutive layers.
const PassTransfer& pipeline_transfer(const MappingPlan& mapping, const LayerPass& costs, std::int32_t from,
                                      std::int32_t to);

}  // namespace trainyard::builder
