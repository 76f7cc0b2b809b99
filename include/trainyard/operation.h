// Training beside other work on one site: who has which devices and how much power at every hour, what that
// costs and earns, and how fast the site's power changes.
//
//   const Plan plan = make_plan(ScenarioText::load("llama3-day").resolve());
//   const OperationAnswer answer = study_operation(plan);
//   answer.asked.days;  // to train
//
// A day repeats, or a week where weekends have curves of their own. Training runs on whole replicas, at a
// speed in proportion to them; other work takes any number of devices (docs/models.md, "Hours").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/operation.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

constexpr double kJoulesOfMwh = 3.6e9;

/// A part of the day in which nothing changes.
struct OperationHour {
  Seconds from;  // since midnight; of a week since that before Monday
  Seconds to;
  Watts cap;
  UsdPerJoule price;
  std::int64_t replicas = 0;  // that train
  std::int64_t training_devices = 0;
  double clock = 1;  // of training devices, share of the full one
  std::int64_t service_wanted = 0;
  std::int64_t service_devices = 0;
  Seconds changing;  // of it, training stands still
  Watts power;       // of the site, mean
};

/// A day under one rule; of a week, its mean day.
struct OperationDay {
  std::string name;                  // "service first"
  std::vector<OperationHour> hours;  // of the day, or of the week
  double speed = 0;                  // of training, over that with all devices all day
  std::optional<Seconds> days;       // to train; nothing: never
  Joules energy;                     // of a day
  Usd energy_cost;                   // of a day
  Usd service_income;                // of a day
  double service_wanted_h = 0;       // device-hours of a day
  double service_served_h = 0;
  Joules service_energy;  // of a day, beyond that of idle devices
  Usd service_energy_cost;
  Watts idle_power;    // mean of what the caps leave unused
  double changes = 0;  // of the number of replicas, a day
  double stops = 0;    // of training by them, a day; it starts as often
  double trains = 0;   // share of the time in which replicas work
  /// Energy until training is done, less what service earns until then, with the facility's share of its
  /// life.
  std::optional<Usd> cost;
};

/// A change of the site's power that comes every so often.
struct PowerSwing {
  std::string what;  // "within a step"
  Watts from;
  Watts to;
  Seconds over;
  double per_day = 0;
  /// Smallest store that keeps the site's power within the ramp limit; nothing without a limit.
  std::optional<Joules> store;
};

/// Checkpoints that are written while training goes on, over the network that it uses: of tiers inside a
/// server only their backups to the file system.
struct CheckpointTraffic {
  bool backups = false;   // what follows is theirs
  Bytes bytes;            // of all devices
  Seconds write;          // time of one
  Seconds interval;       // of training time
  double rate_share = 0;  // of a device's scale-out rate, while one is written
  Seconds step;           // then, of the model of OperationAnswer::step
  double slowdown = 0;    // of training as a whole, by all of them
};

/// The answer of `trainyard operate`.
struct OperationAnswer {
  OperationInput settings;
  std::int64_t devices = 0;
  std::int64_t replicas = 0;
  std::int64_t replica_devices = 0;
  Watts power_limit;
  Watts full_power;      // all devices at full power
  Watts training_power;  // all replicas train: mean of a step
  double goodput = 1;    // useful share of the time that training goes on
  bool endless = false;  // runs have no mean to tell, and some may never end: crews hardly keep up
  Seconds ideal;         // to train on all devices all day, without failures
  Seconds period;        // what repeats: a day or a week
  OperationDay asked;
  std::vector<OperationDay> others;  // training alone, the other rule
  std::vector<OperationDay> pauses;  // above each price of the curve
  std::optional<double>
      earned_usd_per_mwh;         // of what other work draws, its energy paid; nothing: there is none
  std::vector<Watts> step_power;  // in equal spans of a step
  Seconds step;                   // simulated
  std::vector<PowerSwing> swings;
  CheckpointTraffic checkpoint;
};

/// Failures are those of [resilience], or of its defaults. Throws InputError for curves that do not fit
/// together; Infeasible where idle devices draw more than a cap, or with [resilience] training never ends.
OperationAnswer study_operation(const Plan& plan);

/// "14:00" of a day that repeats, "Sat 14:00" of a week.
std::string operation_moment(Seconds at, Seconds period);

/// The smallest store of energy for a change of power under a limit: change squared over twice the limit.
Joules store_for(Watts change, Watts limit_per_second);

}  // namespace trainyard
