// Pages for man(1), from the same tables as --help.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Command;

/// trainyard(1): what all verbs share.
std::string manual_page(const std::vector<Command>& commands);

/// trainyard-VERB(1), with its parts.
std::string manual_page(const Command& command);

}  // namespace trainyard
