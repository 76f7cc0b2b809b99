// Invariants of the program, beside what is wrong with an input.
#pragma once

#include <string_view>

namespace trainyard {

/// Stops the program with what it knew: for our own mistakes only.
[[noreturn]] void broken_invariant(std::string_view condition, std::string_view file, int line,
                                   std::string_view known);

}  // namespace trainyard

/// An invariant of the program. Checked in every build.
#define TY_ASSERT(condition, known)                                                           \
  do {                                                                                        \
    if (!(condition)) ::trainyard::broken_invariant(#condition, __FILE__, __LINE__, (known)); \
  } while (false)
