// Standard input of a run with several ranks.
#pragma once

#include <span>
#include <string>

namespace trainyard {

class Ranks;

/// Where a word of the command line names standard input, which the launcher gives to rank 0 alone: rank 0
/// reads it, and it is then that of every rank. Throws std::runtime_error where the system has no room for
/// it.
void share_standard_input(Ranks& ranks, std::span<const std::string> words);

}  // namespace trainyard
