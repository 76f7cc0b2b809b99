// The valid name that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The candidate within a third of the name's length of edits (insert, delete, replace, swap of neighbours),
/// or "".
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'x'?" when one is near, else "allowed: a, b, c" (cut after a dozen).
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace trainyard
