// How many layers an operation of the graph stands for, so that graphs stay small enough.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {
struct LayerPass;
struct Plan;
struct ScheduleShape;
}  // namespace trainyard

namespace trainyard::builder {

struct Settings;

/// Pieces of a layer's gradients that go through the exchange one behind the other; 0 where nothing is
/// exchanged.
double pieces_of_layer(const Plan& plan, const LayerPass& costs);

/// Above two million operations, more than one. Throws InputError above twenty million.
std::int64_t layers_per_operation(const Plan& plan, const LayerPass& costs, const Settings& settings,
                                  const ScheduleShape& shape, std::size_t replica_classes);

}  // namespace trainyard::builder
