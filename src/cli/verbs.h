// The table of the program's verbs.
#pragma once

#include <vector>

#include "cli/verb.h"

namespace trainyard {

/// Every verb, in the order of --help.
std::vector<Verb> verbs();

}  // namespace trainyard
