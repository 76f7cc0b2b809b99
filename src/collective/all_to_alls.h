// The registry of all-to-alls: one record each, in a file of its own under all_to_alls/.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/collective_cost.h"
#include "trainyard/units.h"

namespace trainyard {

enum class AllToAll;
enum class ChosenBy;
enum class TrafficPattern;

/// What an all-to-all puts on each network, stages pipelined in small chunks.
struct AllToAllPlan {
  AllToAll algorithm{};
  Bytes inside;   // that a device sends in its HB domain
  Bytes outside;  // and between HB domains
  Seconds time;
};

/// `local` ranks in each of `domains` HB domains, each with so many bytes for all of them together.
struct AllToAllCase {
  std::int64_t local = 1;
  std::int64_t domains = 1;
  Bytes buffer;
};

/// One algorithm. No field has a default: the build refuses a record that leaves one out.
struct AllToAllAlgorithm {
  /// Inside one network, of n > 1 ranks.
  CollectiveCost (*cost)(std::int64_t ranks);
  AllToAllPlan (*plan)(const AllToAllCase& wanted, const Networks& networks);
  /// Whether a plan over several HB domains has stages on both networks, whose times overlap.
  bool on_both_networks;
  /// As which pattern a traffic matrix counts what its ranks send.
  TrafficPattern traffic;
};

struct RegisteredAllToAll {
  AllToAll name;
  const AllToAllAlgorithm* algorithm;
  ChosenBy chosen_by;
};

/// All of trainyard/registries/all_to_alls.def, in its order.
const std::vector<RegisteredAllToAll>& all_to_alls();

/// `best` is none: it stands for another one at a size (all_to_all_plan, collective.h).
const AllToAllAlgorithm& all_to_all_of(AllToAll name);

/// On the scale-out network alone where the group has several HB domains, else on the scale-up network.
AllToAllPlan on_one_network(AllToAll name, const AllToAllCase& wanted, const Networks& networks);

}  // namespace trainyard
