// Which path a packet takes.
#pragma once

namespace trainyard {

enum class LoadBalancing {
#define TRAINYARD_LOAD_BALANCING(name, flow_paths, sentence) name,
#include "trainyard/registries/load_balancings.def"
};

/// Paths of a flow at a time.
enum class FlowPaths { one, many };

constexpr FlowPaths flow_paths(LoadBalancing choice) {
  switch (choice) {
#define TRAINYARD_LOAD_BALANCING(name, flow_paths, sentence) \
  case LoadBalancing::name:                                  \
    return flow_paths;
#include "trainyard/registries/load_balancings.def"
  }
  return FlowPaths::one;
}

}  // namespace trainyard
