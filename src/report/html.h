// The HTML report: one file that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"
#include "report/output.h"
#include "search/network_plan.h"
#include "trainyard/plan.h"

namespace trainyard {

/// The report of a plan with its charts. Everything that comes from the user is escaped.
std::string html_report(const Plan& plan, const std::vector<Chart>& charts,
                        const std::vector<NetworkAnswer>& networks);

}  // namespace trainyard
