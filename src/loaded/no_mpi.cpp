// In place of mpi_link.cpp where the build found no MPI.
#include <stdexcept>

#include "loaded/mpi_link.h"

namespace trainyard {

std::unique_ptr<RankLink> mpi_link(int /*count*/) {
  throw std::runtime_error(
      "one of several ranks, and built without MPI: one process, or a build with it (docs/guide.md)");
}

}  // namespace trainyard
