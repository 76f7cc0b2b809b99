// The text of each entry of a file that the program ships.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace trainyard {

/// Texts by key: the table `[kind.key]`, whose heading begins a line, with those below it
/// (`[kind.key.part]`). Throws std::logic_error where an entry is in two places.
std::map<std::string, std::string_view> entry_texts(const EmbeddedFile& file);

}  // namespace trainyard
