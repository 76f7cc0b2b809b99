// What operators published about failures and useful time, beside what the catalog's rates predict.
#pragma once

#include <string>
#include <vector>

#include "trainyard/goodput.h"

namespace trainyard {

struct Catalog;

/// A published figure of data/resilience.csv.
struct ResilienceRow {
  std::string job;
  std::string set;  // key of the failure set of its operator
  std::string quantity;
  double published = 0;
  double published_high = 0;  // the same, or the end of a range
  bool at_least = false;      // the figure is a bound
  bool fitted = false;        // the set's rates rest on it; else it is a prediction
  bool recalled = false;      // nobody of the project has read it in its source
  std::string source;
  double by_set = 0;      // simulated with the operator's set
  double by_default = 0;  // with the catalog's default rates
  bool set_agrees = false;
  bool default_agrees = false;
};

/// Simulates every published job with its operator's rates and with the default ones. Counts agree within 15%
/// or two standard deviations, useful time within two points, bounds as bounds.
std::vector<ResilienceRow> published_resilience(const Catalog& catalog);

}  // namespace trainyard
