#include "loaded/mpi_link.h"

#include "loaded/module.h"

namespace trainyard {

/// The parts of MPI find each other by their names.
std::unique_ptr<RankLink> mpi_link(int count) {
  using Begin = RankLink* (*)(int);
  static const auto begin = reinterpret_cast<Begin>(
      function_of({"trainyard_mpi.so", "trainyard_mpi_link", "with which ranks reach each other", true}));
  return std::unique_ptr<RankLink>(begin(count));
}

}  // namespace trainyard
