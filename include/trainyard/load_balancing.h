// Which path a packet takes.
#pragma once

namespace trainyard {

enum class LoadBalancing {
#define TRAINYARD_LOAD_BALANCING(name, ...) name,
#include "trainyard/registries/load_balancings.def"
};

/// Paths of a flow at a time.
enum class FlowPaths { one, many };

/// What others know of a load balancing.
struct LoadBalancingTraits {
  FlowPaths paths = FlowPaths::many;
  bool in_rounds = false;       // over all uplinks, or over simulation.entropies
  bool by_hash = false;         // files may give a flow another path than that of its hash
  bool by_gaps = false;         // a flow changes its path where it pauses
  bool by_destination = false;  // alone
  bool by_switches = false;     // by their queues
  bool recycles = false;        // paths that came back well
  bool passes_over = false;     // for a while, paths that came back marked

  /// Whether it needs to be told what became of packets.
  constexpr bool learns() const { return recycles || passes_over; }
};

constexpr LoadBalancingTraits traits_of(LoadBalancing choice) {
  switch (choice) {
#define TRAINYARD_LOAD_BALANCING(name, sentence, ...) \
  case LoadBalancing::name:                           \
    return {__VA_ARGS__};
#include "trainyard/registries/load_balancings.def"
  }
  return {};
}

}  // namespace trainyard
