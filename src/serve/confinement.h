// What the process that answers a question may use: memory, time of the processor, files.
#pragma once

#include <string>

#include "trainyard/units.h"

namespace trainyard::serving {

struct Confinement {
  Bytes memory{4e9};
  Seconds processor{600};
  std::string folder = {};  // files that it may read, and no others; empty: none
  bool is_long = false;     // it yields to others
};

/// Of the calling process, for the rest of its life. Files are kept from it by Landlock where the kernel has
/// it (Linux 5.13); paths that a scenario names are checked besides (questions.cpp).
void confine(const Confinement& limits);

}  // namespace trainyard::serving
