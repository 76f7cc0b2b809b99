// What would let training end that does not.
#pragma once

#include <string>

namespace trainyard {

struct GoodputCase;
struct Plan;

/// Changes of one thing each with which training would end, the cheapest first, with the share of the time
/// that is useful then.
std::string remedies_of(const Plan& plan, const GoodputCase& c);

}  // namespace trainyard
