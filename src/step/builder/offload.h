// Activations on the host: sent after their forward pass, back before their backward pass.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "parallel/schedules.h"
#include "step/builder/blueprint.h"

namespace trainyard::builder {

class Activations;
struct Pass;
class Writer;

/// Of one lane after another.
class Offload {
 public:
  Offload(const Blueprint& blueprint, const Activations& activations, Writer& writer)
      : b_(blueprint), activations_(activations), writer_(writer) {}

  /// Notes where the lane's backward passes stand.
  void begin_lane(const std::vector<ChunkPass>& order);

  /// After a forward pass. Only what other passes come between waits on the host.
  void send(const Pass& pass);

  /// Before a backward pass: while the pass before is computed.
  void bring_back(Pass& pass);

  /// Of layers that are offloaded one by one: beside the pass, which waits for it at its end.
  void add_beside(Pass& pass, std::uint32_t stream);

  /// Two passes' activations fit: a forward pass waits until the first of those before it has left.
  void await_room(Pass& pass) const;

 private:
  std::int64_t key(const ChunkPass& p) const {
    return std::int64_t{p.microbatch} * b_.order.depths + p.depth;
  }

  const Blueprint& b_;
  const Activations& activations_;
  Writer& writer_;
  std::map<std::int64_t, std::int64_t> backward_at_;
};

}  // namespace trainyard::builder
