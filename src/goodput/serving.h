// What of a job trains while servers are under repair, in closed form.
#pragma once

#include <limits>
#include <vector>

#include "goodput/up_times.h"
#include "trainyard/goodput.h"

namespace trainyard {

/// Long after a run began.
constexpr double kForever_s = std::numeric_limits<double>::infinity();

/// Mean time from what stops the job until training goes on. `idle`: share of the time that a spare is there
/// to be swapped in.
double recovery_s(const GoodputCase& c, const FailureMode& mode, double idle);
/// The same times one by one, of failures at this rate: hangs are seen later, some need people.
void add_recoveries(std::vector<Recovery>& out, const GoodputCase& c, const FailureMode& mode, double rate,
                    double idle);

/// Means over the counts of servers that are gone.
struct Serving {
  double served = 1;  // share of the replicas that train, while no recovery is under way
  double idle = 1;    // share of the time that a spare waits
};

/// Of a part of the time.
struct ServingThen {
  double weight = 1;  // share of the time
  double hazard = 1;  // failures of parts over their constant rate
  Serving serving;
};

/// In the long run, and over the period, which begins with all servers: its mean, and its parts where they
/// differ.
struct Servings {
  ServingThen ever;
  ServingThen mean;
  std::vector<ServingThen> parts;
};
Servings servings_of(const GoodputCase& c);

}  // namespace trainyard
