// Several sites packet by packet: which runs, and their results for programs.
#pragma once

#include <string>
#include <vector>

#include "network/long_haul.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// The runs that [long_haul] asks for: each transport at each bit-error rate; with flows inside sites, each
/// without and with priority for the wide area.
std::vector<LongHaulCase> long_haul_cases(const Scenario& scenario);

std::string long_haul_json(const Scenario& scenario, const std::vector<LongHaulResult>& results);
std::string long_haul_csv(const std::vector<LongHaulResult>& results);

}  // namespace trainyard
