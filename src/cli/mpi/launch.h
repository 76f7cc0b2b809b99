// Whether the process is one of several that `mpirun` or `srun` started together.
#pragma once

namespace trainyard {

struct Launch {
  int rank = 0;
  int count = 1;
  /// The launcher connects them; else they are copies that know nothing of each other.
  bool connected = false;
  /// A launcher hands its standard streams on: a terminal there is the launcher's, not the user's.
  bool relayed = false;
};

/// As the environment says it: Open MPI's mpirun, PMIx (srun --mpi=pmix), PMI (MPICH, srun --mpi=pmi2), or
/// srun alone.
Launch launch();

}  // namespace trainyard
