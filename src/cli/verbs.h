// The table of the program's verbs.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace trainyard {

/// Every verb, in the order of --help.
std::vector<Verb> verbs();

/// Whether this is a verb of the whole program, and this one, which `make demo` builds, lacks it.
bool is_built_without(const std::string& verb);

}  // namespace trainyard
