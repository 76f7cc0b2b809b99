// "key = value" as people write it behind flags.
#pragma once

#include <optional>
#include <string_view>

namespace trainyard {

/// The two sides of a text's first equals sign, as views into it.
struct AssignmentText {
  std::string_view key;    // never empty
  std::string_view value;  // may be
};

/// Without blanks around either side: "a.b = 1" says what "a.b=1" does. Nothing where the text has no equals
/// sign, or no key before it.
std::optional<AssignmentText> assignment_text(std::string_view text);

}  // namespace trainyard
