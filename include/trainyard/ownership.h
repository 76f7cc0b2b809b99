// Years of a site: what is bought when, what it trains, what it costs until the end; what watching it takes.
//
//   const OwnershipAnswer answer = study_ownership(ScenarioText::load("two-generations").resolve());
//   answer.asked.cost;  // Usd, until the horizon
//
// Phases train side by side, each mapped by itself on its own devices (docs/models.md, "Years").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/ownership.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// A phase with everything decided.
struct OwnedPhase {
  std::string name;
  std::string hb_domain;
  std::int64_t devices = 0;
  Seconds ordered;
  Seconds delivered;
  Seconds serves;  // from
  Seconds retires;
  Usd price;
  Watts power;           // in service, at the higher PUE
  double useful = 1;     // share of its life, by failures as [resilience] or its defaults have them
  bool failures = true;  // are counted: where nobody asked and they cannot be, they are not
  double tokens_per_second = 0;
  double mfu = 0;
  Usd per_million_tokens;  // write-off, maintenance and energy while it serves
  /// In use of its network's switches, and of its devices; absent: where `ports` of the answer has no_ports,
  /// and where the settings say how many are watched.
  std::optional<double> ports;
};

/// A twelfth of a year; the last one ends with the horizon. What falls on its end belongs to the next one.
struct OwnedMonth {
  Seconds from;
  Seconds to;
  double devices = 0;  // in service, mean
  Usd paid;
  Usd energy;
  Usd upkeep;  // maintenance and staff
  Usd book;    // paid until its end and not yet written off
  double tokens = 0;
};

/// All phases, or some.
struct Ownership {
  std::string name;
  std::vector<OwnedMonth> months;
  std::optional<Seconds> trained;  // when the tokens are through; nothing: not until the horizon
  double tokens = 0;               // until the horizon
  Usd paid;
  Usd energy;
  Usd upkeep;
  Usd book;                                         // at the horizon
  Usd cost;                                         // paid, energy, upkeep, less book
  Usd present_value;                                // of the cost
  std::optional<Usd> per_million_tokens;            // nothing: none is trained
  std::optional<Usd> per_million_tokens_levelized;  // present value of the cost over discounted tokens
};

/// Watching all ports at one interval.
struct Watch {
  Seconds interval;
  BytesPerSecond rate;  // of samples
  Bytes kept;
  Seconds detection;             // mean, of a part that falls silent
  std::optional<double> useful;  // share of time, when hangs are seen then, of the watched phases' devices;
                                 // unknown where failures are
};

/// The answer of `trainyard years`.
struct OwnershipAnswer {
  OwnershipInput settings;
  double target_tokens = 0;
  std::vector<OwnedPhase> phases;
  Ownership asked;
  std::vector<Ownership> others;  // without each phase, all ordered at once
  /// Phases that serve together, of all times until the horizon with the most ports; where none serves until
  /// then, of all times.
  std::vector<std::size_t> watched;
  std::optional<double> ports;  // of them; absent: of no network of the scenario's own
  std::string no_ports;         // why
  std::vector<Watch> watches;
};

/// Throws InputError and Infeasible as plans of the phases do.
OwnershipAnswer study_ownership(const Scenario& scenario);

}  // namespace trainyard
