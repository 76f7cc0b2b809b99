// How many replicas share a batch, when each takes whole microbatches of it.
#pragma once

#include <cstdint>
#include <optional>

namespace trainyard {

struct MappingInput;
struct ModelShape;
struct TrainingInput;

/// A batch that differs from the one asked for by more than this share breaks it.
constexpr double kBatchTolerance = 0.01;

/// Tokens of the batch that is asked for: the training's, else the model's own. Nothing where neither says,
/// or where the mapping counts microbatches instead.
std::optional<double> wanted_batch(const MappingInput& mapping, const TrainingInput& training,
                                   const ModelShape& shape);

/// Microbatches of each replica, nearest to `microbatches` over all of them; at least one.
std::int64_t microbatches_each(double microbatches, std::int64_t replicas);

/// The most replicas, up to `most`, that make up a batch of so many microbatches: exactly, unless that leaves
/// more than half of them out; else within the tolerance; else as near as can be. In multiples of `unit`.
std::int64_t replicas_for_batch(double microbatches, std::int64_t most, std::int64_t unit = 1);

}  // namespace trainyard
