// The exchange of gradients between the replicas of a stage: when it starts, in which pieces, and what the
// optimizer and the next passes wait for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "step/builder/lane.h"
#include "step/graph.h"

namespace trainyard {
struct ChunkPass;
}

namespace trainyard::builder {

struct Beginning;
struct Blueprint;
struct Pass;
class Writer;

/// One exchange, which all replicas share.
struct Exchange {
  std::int32_t depth = -1;  // of its chunk; -1: of all chunks of the stage
  Operations first;         // of each piece
  Operations reduced;       // what the optimizer waits for
  Operations gathering;     // what waits for the optimizer
  Operations last;
};

/// Of one stage after another. The first replica class makes the exchanges, the others join them.
class StageExchanges {
 public:
  StageExchanges(const Blueprint& blueprint, Writer& writer);

  void begin_stage() { exchanges_.clear(); }
  /// Notes which passes are the last to make a chunk's gradients.
  void begin_lane(const std::vector<ChunkPass>& order);

  /// Whether a pass completes gradients that are exchanged.
  bool follows(const ChunkPass& pass, std::int64_t position) const;

  /// One pass of each stage of the exchange beside a backward pass, each of other gradients. What was
  /// started.
  Operations start_beside(const Pass& pass, const Beginning& from, double layers);

  /// Gradients of these layers are there; they leave once their bucket is full.
  void add_layers(Pass& pass, double layers, bool last);

  /// What waited for the end of the batch, from the last pass of every lane of the stage on.
  void add_late(const std::vector<Lane*>& lanes);

  const std::vector<Exchange>& of_stage() const { return exchanges_; }

  /// Of one exchange at most.
  std::int64_t most_pieces() const { return most_pieces_; }

 private:
  Exchange& next(const Lane& lane);
  void start(double layers, const ChunkPass& what, Lane& lane, OperationId after);
  void add_piece(Exchange& exchange, const ChunkPass& what, const Lane& lane, double layers);
  StepOperation transfer(std::size_t i, const ChunkPass& what, const Lane& lane, double layers) const;

  const Blueprint& b_;
  Writer& writer_;
  double pieces_of_layer_;
  std::vector<Exchange> exchanges_;
  std::size_t next_ = 0;
  double late_ = 0;  // layers whose gradients wait for the end of the batch
  std::map<std::int32_t, std::int64_t> last_gradient_;  // by depth: position in the stage's order
  std::int64_t most_pieces_ = 0;
};

}  // namespace trainyard::builder
