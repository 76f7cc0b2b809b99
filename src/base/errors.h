// Collecting what is wrong with an input, and printing it as a compiler would.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

/// Collects findings so that a user sees all of them at once.
class Findings {
 public:
  void add(Location where, std::string message, std::string help = {});
  bool empty() const { return findings_.empty(); }
  const std::vector<Finding>& all() const { return findings_; }
  /// Throws InputError when anything was found.
  void throw_if_any() const;

 private:
  std::vector<Finding> findings_;
};

/// Throws InputError with a single finding.
[[noreturn]] void fail_input(Location where, std::string message, std::string help = {});

/// A location that names a whole text, such as a flag.
Location whole(std::string name);

/// `file:line:column: error: message`, the source line with a caret, and the help line.
std::string describe(const Finding& finding);
std::string describe(const std::vector<Finding>& findings);

/// Stops the program with what it knew: for our own mistakes only.
[[noreturn]] void broken_invariant(std::string_view condition, std::string_view file, int line,
                                   std::string_view known);

}  // namespace trainyard

/// An invariant of the program. Checked in every build.
#define TY_ASSERT(condition, known)                                                           \
  do {                                                                                        \
    if (!(condition)) ::trainyard::broken_invariant(#condition, __FILE__, __LINE__, (known)); \
  } while (false)
