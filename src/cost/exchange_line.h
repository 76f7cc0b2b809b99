// The network of a device, on which gathers of weights and sums of gradients stand in line in the order in
// which they are asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// Of a usual layer, and what its compute loses beside it.
struct LayerExchange {
  Seconds gather;           // of its weights before a pass, under ZeRO 3
  Seconds sum;              // of its gradients behind the last backward pass, or every one
  Seconds returned;         // its updated weights, before the first forward pass
  Seconds sum_once;         // behind each sum, while the network goes on
  double sum_first = 1;     // of the sum, what goes ahead of gathers that are asked for later
  Seconds sum_apart;        // of the sum, what it passes before or behind that
  Seconds returned_once;    // before the first returned weights
  Seconds slowed_forward;   // a layer by its gather
  Seconds slowed_backward;  // the same
  Seconds slowed_sum;       // a layer by its sum
  double slower = 1;        // gathers and sums, by compute
};

class ExchangeLine {
 public:
  /// The exchange must outlive it.
  ExchangeLine(const LayerExchange& exchange, std::size_t depths) : exchange_(&exchange), summed_(depths) {}

  /// Updated weights of so many layers, from the step's beginning on: when they are there.
  Seconds returned(double layers);

  /// Weights of so many layers, behind the gathers before them: when they are there.
  Seconds gather(double layers, Seconds asked);

  /// Gradients of so many layers, once what was asked for before is in line.
  void sum(double layers, Seconds asked, std::int32_t depth);

  /// When the gradients of a chunk that were asked for last are summed.
  Seconds summed(std::int32_t depth);

  /// When all of it is done.
  Seconds end();

 private:
  /// `part`: of its stages, which asks next.
  struct Sum {
    Seconds asked;
    double layers = 0;
    double part = 1;
    std::int32_t depth = 0;
  };

  void line_up(Seconds until);
  void line_up_all();
  std::deque<Sum>* next();

  const LayerExchange* exchange_;
  Seconds free_;                 // from when on
  Seconds free_apart_;           // the same, by the part of sums that delays divide
  Seconds gather_asked_;         // of the last
  Seconds last_sum_;             // is there
  std::deque<Sum> sums_;         // asked for, not yet in line
  std::deque<Sum> later_;        // their other stages, when the first is done
  std::vector<Seconds> summed_;  // by depth
};

}  // namespace trainyard
