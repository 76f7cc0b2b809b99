// A training run of months: what fails, what that costs, and when training is done.
//
// All times are calendar time unless they say otherwise. A run trains, writes checkpoints, waits for recovery
// or for servers, or trains more slowly; the parts add up to the period to the nanosecond.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct FailureSet;
struct Plan;

/// Why time is lost. The rates of FailureSet, in its order.
enum class FailureCause {
  gpu,
  memory,
  nic,
  transceiver,
  cable,
  switch_chip,
  plane,
  host,
  rack_power,
  power_feed,
  cooling,
  site,
  software,
  silent,
  straggler,
  planned
};
inline constexpr std::size_t kFailureCauses = 16;
std::string_view failure_cause_name(FailureCause cause);

/// A way to fail: how often, and what it takes.
struct FailureMode {
  FailureCause cause = FailureCause::gpu;
  std::string what;        // "leaf of a network"
  double parts = 0;        // that may fail so
  double rate_per_s = 0;   // of all of them together, at their constant rate
  bool ages = false;       // follows the bathtub
  bool stops = true;       // the job
  bool keeps = true;       // the checkpoints of the chosen tier
  bool by_crew = false;    // a crew repairs it
  std::int64_t hosts = 0;  // servers that are gone until repaired
  double slowdown = 0;     // extra time of a step until repaired or found
  Seconds lasts;           // mean time to repair; of stragglers and silent corruptions: until found
};

/// Everything that a simulation of months needs, decided.
struct GoodputCase {
  std::vector<FailureMode> modes;
  double infant_factor = 0;  // FailureSet: the bathtub
  Seconds infant_time{1};
  std::optional<Seconds> wear_time;
  Seconds age;

  Seconds detection;
  double hang_share = 0;
  Seconds hang_detection;
  double manual_share = 0;
  Seconds manual_time;
  Seconds swap;     // of a server by a spare that waits
  Seconds restart;  // without reading
  Seconds read;     // of a checkpoint
  Seconds repair;   // mean, of a server that a straggler or a silent corruption led to

  std::int64_t hosts = 1;     // of the job
  std::int64_t replicas = 1;  // that may go on without each other; 1: all or nothing
  std::int64_t least_replicas = 1;
  std::int64_t spares = 0;
  std::int64_t crews = 0;  // 0: enough

  Seconds step;                     // no checkpoints in between
  Seconds stall;                    // of training, for each checkpoint
  Seconds write;                    // from its beginning until it is safe
  std::optional<Seconds> interval;  // of training time; absent: the best
  bool outlives_all = true;         // the tier; else every backup_every-th checkpoint does
  std::int64_t backup_every = 1;
  Seconds backup_write;      // of a backup to the file system; 0: the tier is that
  bool over_network = true;  // checkpoints of the tier, beside training
  Bytes checkpoint_bytes;

  Seconds period;
  std::int64_t runs = 1;
  std::int64_t seed = 1;
};

/// Time of a step when the worst hit servers keep this share of their scale-out rate.
using StepAtRate = std::function<Seconds(double kept)>;

/// The case of a plan by its scenario's [resilience], or its defaults. Parts and what they take down are
/// counted on the scenario's first design, or on a fat tree where it has none. Throws InputError.
GoodputCase goodput_case(const Plan& plan, const StepAtRate& step_at);

/// The case of so many accelerators in servers, joined by one network whose leaves have 64 links: what is
/// published of an operator's run.
struct PublishedJob {
  std::int64_t devices = 0;
  std::int64_t host_devices = 8;
  Seconds period;
  Seconds stall;  // of a checkpoint
  Seconds write;
  Seconds interval;  // 0: the best
  std::int64_t spares = 0;
};
GoodputCase published_case(const FailureSet& set, const PublishedJob& job);

/// The mean over the period in closed form (docs/models.md, "Months"): failures as Poisson processes,
/// downtime as the busy period of a queue M/G/oo, checkpoints as Young and Daly count them, servers under
/// repair as Poisson counts that begin with none. Exact for failures that stop a job and keep its
/// checkpoints, at constant rates; else an approximation, with which the simulation is compared.
struct GoodputForm {
  Seconds interval;             // of checkpoints
  Seconds young;                // sqrt(2 w M)
  Seconds daly;                 // Daly 2006, equation 37
  double up_share = 0;          // of the time that no recovery is under way
  double checkpoint_share = 0;  // of training time, that checkpoints stall
  double served_share = 0;      // what lacking servers leave
  double speed_share = 0;       // what slow parts leave
  double ettr = 0;              // useful time over calendar time
  double long_run_served = 0;   // both long after the run began with all servers
  double long_run_ettr = 0;
  double interruptions_per_s = 0;  // unplanned
  Seconds mean_time_to_interruption;
  Seconds downtime;  // mean of a failure
};
/// At the case's interval, or at the one with the most useful time.
GoodputForm goodput_form(const GoodputCase& c);

/// Mean and the bounds of 95% of the runs.
struct Spread {
  double mean = 0;
  double low = 0;
  double high = 0;
  double standard_error = 0;  // of the mean
};

/// Where the time went, in hours of calendar time, mean of the runs.
struct LostTime {
  double down_h = 0;    // until training goes on
  double rework_h = 0;  // training that was lost with the state
  double slow_h = 0;    // training at reduced speed, as time at full speed that is missing
  double failures = 0;  // of this cause
  double total_h() const { return down_h + rework_h + slow_h; }
};

/// What a run was doing.
enum class RunState { training, slow, down, waiting };
struct TimelinePiece {
  Seconds from;
  Seconds to;
  RunState state = RunState::training;
  FailureCause cause = FailureCause::gpu;  // of all but training and waiting
};

/// One run, in nanoseconds: useful + checkpoints + waiting + shrunk + what all causes took = period.
struct RunOutcome {
  std::int64_t period_ns = 0;
  std::int64_t useful_ns = 0;
  std::int64_t checkpoint_ns = 0;
  std::int64_t waiting_ns = 0;  // for servers
  std::int64_t shrunk_ns = 0;   // what replicas that lacked would have done
  std::array<std::int64_t, kFailureCauses> down_ns{};
  std::array<std::int64_t, kFailureCauses> rework_ns{};
  std::array<std::int64_t, kFailureCauses> slow_ns{};
  std::array<std::int64_t, kFailureCauses> failures{};
  std::int64_t interruptions = 0;  // unplanned
  std::int64_t events = 0;
  bool cut = false;  // had more events than a run may have
};

/// One run: a function of case, interval, seed and number alone.
RunOutcome simulate_run(const GoodputCase& c, Seconds interval, std::int64_t run,
                        std::vector<TimelinePiece>* timeline = nullptr);

/// All runs together.
struct MonthsResult {
  Spread ettr;
  Spread interruptions;
  std::array<LostTime, kFailureCauses> lost;
  double useful_h = 0;
  double checkpoint_h = 0;
  double waiting_h = 0;
  double shrunk_h = 0;
  double period_h = 0;
  std::int64_t runs = 0;
  double events = 0;                    // of all runs
  std::vector<TimelinePiece> timeline;  // of the first run
};

/// Simulated runs that are done, and all of them; called on any thread. What it throws ends the simulation.
using RunsProgress = std::function<void(std::size_t, std::size_t)>;

/// Simulates the case's runs; the same for any number of threads. Throws InputError where a run would have
/// more events than can be simulated.
MonthsResult simulate_months(const GoodputCase& c, Seconds interval, unsigned threads,
                             const RunsProgress& progress = {});

/// Below this share of useful time training takes 100 times as long as without failures: no run is begun so.
inline constexpr double kLeastUseful = 0.01;

/// Training until its target in closed form, whatever the case's period.
struct TrainingForm {
  std::optional<Seconds> time;  // mean of the runs; nothing: it does not end within ideal / kLeastUseful
  /// Of a run, standard, by the time that it waits for servers; absent without a mean, and where that is less
  /// than a hundredth of it.
  std::optional<Seconds> deviation;
  /// Until the mean of the runs has done as much as training takes without failures: below their median where
  /// they lie far apart.
  Seconds of_mean_work;
  /// Crews hardly keep up: the mean of the runs is beyond ideal / kLeastUseful, or there is none, and some
  /// may never end. `time` is that of the mean work.
  bool endless = false;
  double useful = 0;  // share of the time; of training that does not end, in the long run
  GoodputForm form;   // over the time of the mean work; of training that does not end, over the longest
};
TrainingForm training_form(GoodputCase c, Seconds ideal);

/// Simulated runs until the target is reached. Runs that never end count as infinitely long: with one of them
/// there is no mean, and no median where half of the runs are such.
struct TargetTimes {
  Spread time_s;               // of all runs
  double median_s = 0;         // of all runs
  double mean_of_ended_s = 0;  // of the runs that end: shorter than what one should expect
  double ended = 1;            // share of the runs
  Seconds within;              // in which the others do not end
  std::int64_t runs = 0;       // 0: too long or too many failures to simulate, the time is the closed form's

  bool all_end() const { return ended >= 1; }
  /// One figure for all runs: the mean where all of them end, else the median.
  double middle_s() const { return all_end() ? time_s.mean : median_s; }
  bool simulated() const { return runs > 0; }
};

/// `expected`: mean time in closed form; runs that take ten times as long, or longer than the simulation's
/// clock, never end. The same for any number of threads.
TargetTimes simulate_target(const GoodputCase& c, Seconds interval, Seconds ideal, Seconds expected,
                            unsigned threads, const RunsProgress& progress = {});
/// Runs that it simulates.
std::int64_t target_runs(const GoodputCase& c, Seconds expected);

/// What another choice would give, in closed form.
struct WorthRow {
  std::string what;
  double value = 0;  // servers, or seconds
  double ettr = 0;   // share of the time to the target
  Seconds time;      // to the target
  Usd cost;
  bool endless = false;  // no mean to tell, some may never end: the time is that of the mean work
};

/// The answer of `trainyard goodput`.
struct GoodputAnswer {
  GoodputCase question;
  GoodputForm form;       // over the period, at the interval of `training`
  TrainingForm training;  // to the target
  MonthsResult months;
  Seconds ideal;  // of the plan: to its target without failures
  TargetTimes target;
  Usd ideal_cost;
  Usd cost;                                 // of a run of target.middle_s(), infinite with it
  std::vector<WorthRow> spares;             // for each number
  std::optional<std::int64_t> best_spares;  // the cheapest of those with which all runs end, if there are any
  /// Row of `spares` with fewer of them than the question has and more useful time, the most of all: swaps
  /// stop training for longer than servers that lack would cost. Absent where the question's spares pay.
  std::optional<std::size_t> better_without;
  std::vector<WorthRow> detection;  // for each factor of the time until failures are seen
};

/// Closed form, simulation, and what spares and detection are worth. Throws Infeasible where training would
/// never end, with why, and what would let it.
GoodputAnswer study_goodput(const Plan& plan, const GoodputCase& c, unsigned threads,
                            const RunsProgress& progress = {});

}  // namespace trainyard
