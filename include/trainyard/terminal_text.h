// Answers as a terminal shows them: no wider than it is, and in colour. What goes into pipes and files stays
// as it was written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard {

/// The text with no line longer than so many columns, where its words allow: sentences go on below their
/// beginning; tables lose blanks between their columns, and go on below with their first column once more.
std::string fitted(std::string_view text, std::size_t columns);

/// What is wrong with an input (describe()), as narrow: sentences go on indented; of a line that is quoted
/// from a file the part around the mark below it is left, so that the mark stays under what it means.
std::string fitted_findings(std::string_view text, std::size_t columns);

/// The text with headings in bold and with "error:", "warning:" and "help:" in colour (ECMA-48).
std::string coloured(std::string_view text);

}  // namespace trainyard
