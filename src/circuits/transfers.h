// Transfers over circuits: each begins once the devices that take part have its circuits.
//
// Ports of a class of devices hold one set of circuits at a time; transfers of that set run beside each
// other. A change waits until the transfers on the ports that change are over. Changes follow an order that
// was recorded before (Order), as a controller learns it from a job's first steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "circuits/demands.h"
#include "step/transfer_model.h"

namespace trainyard::circuits {

/// One transfer's turn at the ports: the next of its stream.
struct Turn {
  std::uint32_t stream = 0;
  std::int32_t key = 0;
  std::vector<std::int32_t> nodes;
  bool operator==(const Turn&) const = default;
};

/// Turns, one after another. Order of the ports of each class of devices follows.
using Order = std::vector<Turn>;

/// A change of circuits, or a transfer over them.
struct PortUse {
  StepTime from = 0;
  StepTime to = 0;
  std::int32_t key = 0;
  std::vector<std::int32_t> nodes;
  bool change = false;
};

/// What happened at the ports.
struct PortLog {
  std::vector<PortUse> uses;
  Order order;  // as turns were granted
};

/// How a run without an order chooses.
struct Habit {
  StepTime change = 0;
  bool keeps = false;     // transfers of the circuits that are there go before others that wait
  StepTime patience = 0;  // that others wait at least before circuits change for them
};

/// How a run in an order changes circuits.
struct Pace {
  StepTime change = 0;
  bool ahead = true;  // as soon as their ports are free, not when they are asked for
};

/// What a run's transfers go through; outlives it.
struct Setting {
  const StepGraph& graph;
  const StepFailures& failures;
  Networks networks;
};

/// A run that makes its order as transfers ask: who asks first is served first, but for `habit.keeps`.
std::unique_ptr<TransferModel> recording_transfers(const Setting& in, const Demands& demands, Habit habit,
                                                   PortLog& log);

/// A run in an order. At the beginning the ports have the circuits with which the order ends: steps follow
/// each other.
std::unique_ptr<TransferModel> ordered_transfers(const Setting& in, const Demands& demands,
                                                 const Order& order, Pace pace, PortLog& log);

}  // namespace trainyard::circuits
