// Rails of optical circuit switches that change while a step runs: which neighbours each kind of traffic
// needs, when circuits change, what that costs a step, and what the network costs beside electrical ones.
//
//   const Plan plan = make_plan(ScenarioText::load("llama3-circuits").resolve());
//   const CircuitsAnswer answer = study_circuits(plan);
//   answer.step.step;  // Seconds
//
// A device has `ports` ports into circuit switches of its rail; a circuit joins two ports, both ways. A
// transfer begins once all devices that take part have the circuits of its kind (docs/models.md, "Circuits").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/circuits.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// What one kind of traffic needs of the circuits.
struct CircuitUse {
  std::string kind;             // "data"
  std::string pattern;          // "ring", "all to all", "neighbours"
  std::int64_t members = 0;     // of a group on a rail
  std::int64_t neighbours = 0;  // that a device has there
  std::int64_t ports = 0;       // of a device that work for it at a time
  double share = 1;             // of a device's rate that a transfer has
  double detour = 1;            // bytes that pass a device's ports over those that it sends
  double turns = 1;             // sets of circuits, one after another, in one of its collectives
  bool electrical = false;      // beside the circuits
  std::int64_t transfers = 0;   // of a step, of all classes of devices
  Bytes bytes;                  // of those
};

/// A step over circuits.
struct CircuitStep {
  Seconds step;
  Seconds at_once;          // the same with circuits that change in no time
  Seconds change;           // command and switch
  double changes = 0;       // of a device's circuits in a step, mean
  double most_changes = 0;  // of the device with most
  Seconds changing;         // of a device in a step, mean
  /// Time of the step that circuits add to `electrical`: ports that are shared, and changes.
  Seconds sharing(Seconds electrical) const { return at_once - electrical; }
  Seconds exposed() const { return step - at_once; }
};

/// What the ports of a stage's devices did, in the first class of replicas.
struct CircuitPiece {
  std::int64_t stage = 0;
  Seconds from;
  Seconds to;
  std::string kind;       // whose circuits
  bool changing = false;  // else sending
};

/// The switches of one datacenter's rails.
struct CircuitRails {
  std::int64_t rails = 0;
  std::int64_t hosts = 0;            // devices of a rail
  std::int64_t ports = 0;            // of a device
  std::int64_t ports_on_switch = 0;  // of a device, on one switch
  std::int64_t rails_on_switch = 1;  // that share one
  std::int64_t switches = 0;         // of all rails
  std::int64_t switch_ports = 0;     // of one switch
  std::int64_t spare_servers = 0;    // that the spare ports can hold
};

/// A network beside the others.
struct CircuitNetwork {
  std::string name;
  std::int64_t switches = 0;
  double transceivers = 0;
  double optical_ends = 0;  // transceivers, and those that are one with their cable
  Usd price;
  std::optional<Watts> power;  // nothing: the catalog does not say
  Watts power_known;
  Usd price_at_devices;  // of it, transceivers or ends of cables at the devices
  Watts power_at_devices;
  Seconds step;
};

/// What one failure does.
struct CircuitFailure {
  std::string network;
  std::string what;
  double parts = 0;             // that may fail so
  double devices = 0;           // that lose something
  double kept = 1;              // of the rate of the worst hit
  Seconds away;                 // until circuits lead around it
  std::optional<Seconds> step;  // afterwards, until it is repaired; nothing: the job stops
  std::string then;             // in words
};

/// Another choice: a switch, a rule, a time.
struct CircuitChoice {
  std::string name;
  Seconds change;
  std::optional<CircuitStep> step;  // nothing: it cannot be built, or does not carry the traffic
  std::optional<Usd> price;
  std::optional<Watts> power;
  std::string why;  // not
};

/// The answer of `trainyard circuits`.
struct CircuitsAnswer {
  CircuitsInput settings;
  Seconds electrical;  // step over electrical rails
  CircuitStep step;
  CircuitRails rails;
  std::vector<CircuitUse> uses;
  std::vector<CircuitPiece> timeline;
  std::vector<CircuitNetwork> networks;  // circuits first
  std::vector<CircuitFailure> failures;
  std::vector<CircuitChoice> switches;  // of the catalog
  std::vector<CircuitChoice> rules;     // never, phases, transfers
  std::vector<CircuitChoice> times;     // of change
  double overhead() const { return step.step / electrical - 1; }
};

/// A plan's step over circuits as its scenario's [circuits] says, or its defaults. Throws InputError as
/// simulate_step() does, and Infeasible where the rails do not fit the switches or a device has too few
/// ports, with what would do.
CircuitsAnswer study_circuits(const Plan& plan);

/// The rails of a plan's datacenter with this switch; Infeasible where they do not fit.
CircuitRails circuit_rails(const Plan& plan, const CircuitsInput& settings);

/// Sets of circuits that an all-to-all of so many hosts needs one after another, with so many ports each: an
/// even number of hosts has n - 1 perfect matchings, an odd one (n - 1) / 2 rings or, with an odd number of
/// ports, n matchings that leave out one host each (the edge colouring of a complete graph; RotorNet and
/// Sirius turn through them).
std::int64_t all_to_all_turns(std::int64_t hosts, std::int64_t ports);

/// Mean number of hosts' links between two of n hosts of a ring, the shorter way: n^2 / (4 (n - 1)) for even
/// n, (n + 1) / 4 for odd.
double ring_detour(std::int64_t hosts);

}  // namespace trainyard
