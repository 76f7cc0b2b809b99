// The capacity between sites that hides an exchange, as text and pages say it.
#pragma once

#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// "none does", "any does", or the rate a device; a rate beyond its NICs' cannot leave it, and so hides
/// nothing.
std::string hiding_words(const std::optional<BitRate>& hiding_rate, BitRate nic_rate);

}  // namespace trainyard
