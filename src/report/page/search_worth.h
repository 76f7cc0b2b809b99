// What each value of each free setting costs.
#pragma once

#include <string>

namespace trainyard {

struct SearchAnswer;

/// A section with a small chart for each setting: how far the best with a value is from the best of all.
/// There has to be an answer.
std::string worth_section(const SearchAnswer& answer);

}  // namespace trainyard
