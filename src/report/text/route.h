// The ways between two devices of a design, on the terminal.
#pragma once

#include <string>

#include "report/data/route.h"

namespace trainyard {

std::string route_text(const RouteAnswer& answer);

}  // namespace trainyard
