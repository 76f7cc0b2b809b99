// The quantities that rows are read from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trainyard/quantities.h"
#include "trainyard/stored_runs.h"

namespace trainyard {

class Ranks;
struct RowSource;
struct Scenario;

/// Of a simulated step that is slowed as a long simulation was: its share in closed form, and simulated over
/// closed time of a microbatch, less one.
inline constexpr const char* kClosedShare = "step.closed_share";
inline constexpr const char* kPace = "step.pace";

/// Plans and other analyses of the table, each made once.
class RowQuantities {
 public:
  /// `quick`: long simulations are not read from their stored results but run now, on 1,024 hosts.
  explicit RowQuantities(bool quick) : quick_(quick) {}

  /// Runs the simulations of these rows. With ranks they do it together, and rank 0 alone has the results.
  void simulate_quickly(const std::vector<const RowSource*>& sources, Ranks* ranks);

  /// Empty where a long simulation's result is not stored.
  const std::vector<PlanQuantity>& of(const RowSource& source);

  /// Through the simulated step, by key; empty where that says nothing of any row.
  const std::map<std::string, double>& stepped(const RowSource& source);

 private:
  std::vector<PlanQuantity> quantities(const RowSource& source, const Scenario& scenario) const;

  std::vector<PlanQuantity> simulated(const Scenario& scenario) const;
  std::vector<PlanQuantity> slowed(const Scenario& scenario, const Scenario& simulation) const;

  bool quick_;
  std::map<std::string, StoredRun> quick_runs_;  // by simulation_hash
  std::map<std::string, std::vector<PlanQuantity>> quantities_;
  std::map<std::string, std::map<std::string, double>> stepped_;
};

}  // namespace trainyard
