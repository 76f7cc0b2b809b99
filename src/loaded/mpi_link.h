// Ranks that reach each other by MPI. Nothing else knows of it.
#pragma once

#include <memory>

#include "trainyard/ranks.h"

namespace trainyard {

/// Begins MPI, which ends with the link. Throws std::runtime_error where MPI knows of another number of ranks
/// than `count`, in a program that was built without MPI, and where its module is missing.
std::unique_ptr<RankLink> mpi_link(int count);

}  // namespace trainyard
