// How much of a step is worked out.
#pragma once

namespace trainyard {

/// Passes and exchanges are played pass by pass, or bounded at a fraction of the effort: no step is shorter.
enum class StepEffort { bound, whole };

}  // namespace trainyard
