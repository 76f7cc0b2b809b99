// What the closed form and the simulation of months share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/goodput.h"

namespace trainyard {

constexpr double kMostEventsOfRun = 1e6;

/// Whether it goes unseen for a while: `lasts` is until it is found, and then its server is repaired.
inline bool is_found_later(const FailureMode& mode) {
  return mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler;
}

/// Failures of parts over their constant rate, so long after the run began: FailureSet's bathtub.
double hazard_at(const GoodputCase& c, double since_s);
/// What of it is that of old parts, and what begins as that of young ones and falls by exp(-t / infant_time).
double worn_hazard_at(const GoodputCase& c, double since_s);
double young_hazard(const GoodputCase& c);
/// A bound of it between two times since the run began, and over the period.
double most_hazard(const GoodputCase& c, double from_s, double to_s);
double most_hazard(const GoodputCase& c);
/// Its mean between two times since the run began.
double mean_hazard(const GoodputCase& c, double from_s, double to_s);
/// Its mean over the period without failures of young parts.
double worn_hazard(const GoodputCase& c);
/// Whether it is another at another time.
bool hazard_varies(const GoodputCase& c);

/// Share of the replicas that train while so many servers are under repair; 0: it waits.
double served_share(const GoodputCase& c, std::int64_t gone);

/// How many replicas train, and how many must, where servers lack.
void set_replicas(GoodputCase& c, const Plan& plan, bool shrink);

/// Time until `ideal` of work is done in this run; nothing where that is not within the period.
std::optional<Seconds> simulated_time(const GoodputCase& c, Seconds interval, std::int64_t run,
                                      Seconds ideal);

/// Of sorted values, between neighbours; infinite where either counts and is.
double quantile_of(const std::vector<double>& sorted, double share);

/// Mean of the values, bounds of 95% of them.
Spread spread_of(std::vector<double> values);

}  // namespace trainyard
