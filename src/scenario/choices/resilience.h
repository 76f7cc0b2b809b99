// The names of the enumerations of [resilience].
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/resilience.h"

namespace trainyard {

template <>
struct Choices<CheckpointTier> {
  static constexpr Choice<CheckpointTier> kAll[] = {
      {CheckpointTier::host_memory, "host_memory", "the server's own memory: outlives the program"},
      {CheckpointTier::neighbour, "neighbour",
       "the memory of a server in another rack: outlives a server or a rack"},
      {CheckpointTier::local_disk, "local_disk",
       "the server's disks: outlive the program and the site's power, not the server"},
      {CheckpointTier::file_system, "file_system", "a parallel file system: outlives all"}};
};

template <>
struct Choices<SpareKind> {
  static constexpr Choice<SpareKind> kAll[] = {
      {SpareKind::hot, "hot", "running and checked"},
      {SpareKind::cold, "cold", "off: it starts and is checked first"}};
};

}  // namespace trainyard
