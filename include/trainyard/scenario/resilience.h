// [resilience]: failures, spares and checkpoints of a run of months.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// Where checkpoints go, and so what they outlive.
enum class CheckpointTier { host_memory, neighbour, local_disk, file_system };

enum class SpareKind { hot, cold };

/// [resilience]. Times that are absent are those of the failure set.
struct ResilienceInput {
  std::string failures = "default";  // key of the catalog
  Seconds age{0};                    // of all parts when the run begins
  Seconds period{54 * 86400.0};      // that is simulated
  std::int64_t runs = 1000;
  std::int64_t seed = 1;
  std::optional<std::int64_t> host_devices;  // of a server, which is repaired as one; empty: the HB domain's
  std::optional<std::int64_t> rack_hosts;    // empty: those of the HB domain's racks
  std::int64_t feed_racks = 8;               // racks of one power feed, and of one cooling loop
  std::int64_t spares = 0;                   // servers
  SpareKind spare_kind = SpareKind::hot;
  bool shrink = true;           // trains on with fewer replicas where servers lack
  double least_replicas = 0.9;  // share of the replicas below which it waits
  bool reroute = true;          // trains on at reduced speed where planes or paths are left
  bool forward = false;         // devices without a link send through others of their HB domain
  std::int64_t crews = 0;       // that repair servers; 0: enough
  CheckpointTier checkpoint = CheckpointTier::file_system;
  bool asynchronous = true;
  std::optional<Seconds> interval;          // empty: the best
  std::int64_t backup_every = 10;           // checkpoints to one that goes to the file system
  std::optional<BytesPerSecond> file_rate;  // of the file system, all writers together
  BytesPerSecond disk_rate{5e9};            // of a server
  std::optional<Seconds> write_time;        // of a checkpoint, in place of bytes over rates
  std::optional<Seconds> detection;
  std::optional<Seconds> hang_detection;
  std::optional<Seconds> restart;
  std::optional<double> manual_share;
};

constexpr std::int64_t kUsualServerDevices = 8;  // of clusters of which no HB domain is known
constexpr std::int64_t kUsualRackServers = 4;

struct Scenario;

/// The scenario's section or its defaults, with servers and racks as its HB domains have them.
ResilienceInput resilience_of(const Scenario& scenario);

}  // namespace trainyard
