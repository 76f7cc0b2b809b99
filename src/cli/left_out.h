// What a network that is as large as the facility's share of it leaves out.
#pragma once

namespace trainyard {

struct Scenario;

/// Warns where a hundredth of the HB domains or more stand in no network: those of all datacenters are alike,
/// and domains that do not divide over them are in none.
void warn_of_domains_left_out(const Scenario& scenario);

}  // namespace trainyard
