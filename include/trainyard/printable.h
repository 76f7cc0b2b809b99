// Text from files and flags on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The text with what a terminal would obey (escape sequences, carriage returns, marks that turn the
/// direction of writing) as the escape of JSON and TOML, \u001b; what is no UTF-8 as U+FFFD. Line feeds and
/// tabs stay.
std::string printable(std::string_view text);

/// The text, or its beginning and end where it has more than `most` bytes.
std::string elided(std::string_view text, std::size_t most);

}  // namespace trainyard
