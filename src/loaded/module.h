// Modules beside the program, each with a library that few runs need and whose loading takes longer than
// most.
#pragma once

#include <string>

namespace trainyard {

/// What the program calls in a module, and by which names.
struct Module {
  const char* file;      // "trainyard_evolution.so"
  const char* function;  // extern "C"
  const char* what_for;  // "with which searches evolve"
  bool shared_names;     // its libraries find each other's names
};

/// Names the version of Trainyard that a module is of: an extern "C" array of characters.
constexpr const char* kModuleVersion = "trainyard_module_version";

/// The function, as a pointer to cast. The module stays loaded. Throws std::runtime_error where it is missing
/// or of another version.
void* function_of(const Module& module);

}  // namespace trainyard
