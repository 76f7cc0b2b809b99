// What the sections of a scenario must satisfy together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

class Findings;
struct Location;
struct Scenario;
struct SearchInput;
struct Table;
struct TierInput;

/// The place of a key path in a document; the whole text when the key is not there.
Location locate(const Table& document, std::string_view path, const std::string& fallback_name);

/// Adds a finding for every contradiction between settings and for every name that the catalog lacks.
void check_scenario(const Scenario& scenario, const Table& document, Findings& findings);

/// The same for [[tier]]: what no network can have.
void check_tiers(const std::vector<TierInput>& tiers, Findings& findings);

/// The same for limits of [search] that compare nothing.
void check_search(const SearchInput& search, const Table& document, const std::string& source_name,
                  Findings& findings);

/// The same for [resilience].
void check_resilience(const Scenario& scenario, const Table& document, Findings& findings);

/// The same for [circuits].
void check_circuits(const Scenario& scenario, const Table& document, Findings& findings);

/// The same for [schedule].
void check_schedule(const Scenario& scenario, const Table& document, Findings& findings);

/// The same for [operation].
void check_operation(const Scenario& scenario, const Table& document, Findings& findings);

/// The same for [[phase]].
void check_ownership(const Scenario& scenario, Findings& findings);

/// The same for [wide_area], [long_haul] and [fec].
void check_wide_area(const Scenario& scenario, const Table& document, Findings& findings);

}  // namespace trainyard
