// What the model of a library's collectives is made of: facts of a system, constants by index, the time of
// one way to run a call. Times in microseconds, rates in bytes a microsecond but where a name says GB/s.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/library_collectives.h"

namespace trainyard {

struct Catalog;

constexpr double kBytesPerUsOfGb = 1e3;  // of a GB/s

/// What the library knows of a system before it chooses: of the catalog's entry of operation `tuner`.
struct LibraryFacts {
  double channels = 0;                 // of a communicator
  double graph_channels = 0;           // that its search of rings found
  double channel_rate_gb_s = 0;        // of each of those
  double ll_rate_gb_s = 0;             // most of LL, all channels
  double ll128_channel_rate_gb_s = 0;  // most of LL128 on a channel; 0: LL128 is off
  double in_switch_channels = 0;       // 0: the switches do not sum
  double in_switch_rate_gb_s = 0;      // of a device, as the search of NVLS found
  double p2p_channels = 0;
  double p2p_ll_bytes = 0;  // most of LL between two devices
};

/// A constant of the model, fitted by its logarithm.
struct StepConstant {
  std::string_view name;
  double prior;
};

/// Of rings and switches, in the order of RingConstant.
enum RingConstant : std::size_t {
  ring_start,
  ring_ll_hop,
  ring_ll_channel,
  ring_ll_rate,
  ring_ll_tail,
  ring_ll_narrow,
  ring_ll128_hop,
  ring_ll128_rate,
  ring_ll128_narrow,
  ring_simple_start,
  ring_simple_hop,
  ring_simple_rate,
  ring_simple_tail,
  ring_simple_narrow,
  ring_simple_link,
  ring_simple_overlap,
  ring_switch_start,
  ring_switch_depth,
  ring_switch_loop,
  ring_switch_rate,
  ring_constants,
};

/// Of all-to-alls.
enum PairConstant : std::size_t {
  pair_start,
  pair_doubling,
  pair_ll_rate,
  pair_ll_growth,
  pair_simple_start,
  pair_simple_doubling,
  pair_simple_part,
  pair_simple_rate,
  pair_simple_link,
  pair_simple_overlap,
  pair_constants,
};

/// The constants of an operation; of rings also for operations that do not sum.
const std::vector<StepConstant>& step_constants(const std::string& operation);

/// Those of an operation that a run needs.
std::vector<std::size_t> constants_needed(const std::string& operation, LibraryAlgorithm algorithm,
                                          LibraryProtocol protocol);

/// The run that the tuner estimates least, and all that it may choose.
LibraryRun tuned_run(const LibraryFacts& facts, const LibraryCall& call);
std::vector<LibraryRun> tuner_runs(const LibraryFacts& facts, const LibraryCall& call);
/// What users may ask for: reduce-scatters and all-gathers in switches as well, which the library runs with
/// registered buffers alone.
std::vector<LibraryRun> possible_runs(const LibraryFacts& facts, const LibraryCall& call);

/// Fills in channels where they are 0, threads, steps, pieces and times by constants in the order of
/// step_constants().
void time_run(LibraryRun& run, const LibraryFacts& facts, const LibraryCall& call,
              const std::vector<double>& constants);

/// Refuses calls that no HB domain of the system can run, at the row or the argument that asks for them.
void check_call(const Catalog& catalog, const LibraryCall& call);

/// Whether the catalog has facts of a system.
bool has_library_facts(const Catalog& catalog, const std::string& system);
/// Of a system and a version. Throws InputError where the catalog has none.
LibraryFacts library_facts(const Catalog& catalog, const std::string& system, const std::string& version);

}  // namespace trainyard
