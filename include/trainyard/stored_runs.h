// Long packet simulations whose results are stored: data/simulations.csv says which, data/simulated.csv holds
// what came out (tools/simulated).
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard {

class Ranks;
struct Scenario;

/// One simulation of a figure.
struct StoredRun {
  std::string figure;  // fig5, fig6
  std::string label;   // of its line
  std::string scenario;
  std::vector<std::string> changes;
  std::string settings_hash;  // of the settings that it was computed with
  double mean_s = 0;
  double p99_s = 0;
  double max_s = 0;
  double ideal_s = 0;
  std::vector<double> quantiles_s;  // of completion times, at 0%, 5%, ... 100%
  std::string origin;               // version, date, machine
  std::string reduced = {};         // how it is smaller than the paper's; empty: it is not
  int behaviour = 0;                // kEngineBehaviour of the engine that computed it
};

/// The stored results, as far as they are those of the shipped scenarios and of this engine.
struct StoredRuns {
  std::vector<StoredRun> runs;
  std::vector<std::string> outdated;  // a line for each of the others: which, and why
};
StoredRuns stored_runs();

/// The result in a record of data/simulated.csv. Throws std::runtime_error where its digest, the text_hash of
/// all other fields with commas between them, says that a digit was changed.
StoredRun stored_run(const std::vector<std::string>& fields);

/// The simulation whose result it is.
Scenario scenario_of(const StoredRun& run);

/// The same simulations on 1,024 hosts, a tenth of the bytes in Fig. 5, computed now. With ranks they
/// simulate together, and rank 0 alone has the results.
std::vector<StoredRun> quick_runs(const std::string& figure, Ranks* ranks = nullptr);

/// A scenario's simulation on 1,024 hosts, a tenth of the bytes where a flow has more than 10 MB.
StoredRun quick_run(const Scenario& scenario);
/// Those of several scenarios, in their order; with ranks as above.
std::vector<StoredRun> quick_runs_of(const std::vector<Scenario>& scenarios, Ranks* ranks);

/// Fig. 5: the distribution of completion times, a line a transport.
Chart fig5_chart(const std::vector<StoredRun>& runs);
/// Fig. 6: the longest completion time over the share of active nodes, a line a transport.
Chart fig6_chart(const std::vector<StoredRun>& runs);

}  // namespace trainyard
