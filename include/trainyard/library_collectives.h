// Collectives as NCCL runs them inside one NVLink domain: which algorithm and protocol, over how many
// channels, in which chunks, and how long that takes.
//
// docs/models.md, "Collectives as libraries run them", has the formulas and their sources. Constants of
// systems are entries of the catalog's `operators` with the kernel "steps".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/operator_table.h"

namespace trainyard {

struct Catalog;

enum class LibraryAlgorithm {
  ring,       // neighbours of a ring, piece by piece
  in_switch,  // NVLink SHARP: switches sum and multicast (NCCL's NVLS)
  pairwise,   // every pair at once (send and receive of an all-to-all)
};
enum class LibraryProtocol {
  ll,      // 4 bytes of flag with 4 bytes of data: lowest latency, half the rate
  ll128,   // 8 bytes of flag in 128
  simple,  // slices of a buffer, with a fence each
};

std::string to_string(LibraryAlgorithm algorithm);
std::string to_string(LibraryProtocol protocol);

/// What is asked of the library, bytes as nccl-tests counts them.
struct LibraryCall {
  std::string system;     // key of an operator system
  std::string operation;  // all_reduce, all_gather, reduce_scatter or alltoall
  std::int64_t devices = 2;
  double bytes = 0;
  double element_bytes = 2;
  std::string version = {};  // of the library; empty: the usual one
  std::string dashes = {};   // before the names of these in errors: "--" of a command line
  Location row = {};         // that measured it, and which errors name
};

/// A row of measured collectives as a call.
LibraryCall library_call(const OperatorSeries& series, const OperatorRow& row);

/// What the user states in place of the tuner.
struct LibraryWish {
  std::optional<LibraryAlgorithm> algorithm = {};
  std::optional<LibraryProtocol> protocol = {};
  std::optional<std::int64_t> channels = {};
};

/// By the names of to_string(); "" and 0 leave the choice to the tuner. Throws InputError with the nearest
/// name, for the argument of that name behind `dashes` ("--" of a command line).
LibraryWish library_wish(const std::string& algorithm, const std::string& protocol, std::int64_t channels,
                         const std::string& dashes);

/// One way to run a call, and its time: start + steps * step + tail.
struct LibraryRun {
  LibraryAlgorithm algorithm = LibraryAlgorithm::ring;
  LibraryProtocol protocol = LibraryProtocol::simple;
  double channels = 0;
  double threads = 1;            // of a channel
  double steps = 1;              // one behind the other
  double piece_bytes = 0;        // of a device's data in a step, over all channels
  double wire_bytes = 0;         // what it puts on the link for that, flags included
  double start_us = 0;           // launch, and setting up the protocol
  double step_us = 0;            // from the begin of a step to that of the next
  double tail_us = 0;            // what the last receiver does alone
  double estimate_us = 0;        // what the library's tuner goes by: less is chosen
  bool estimate_is_time = true;  // that it expects of these channels; else a rank
  double time_us() const { return start_us + steps * step_us + tail_us; }
};

/// The run that the library chooses (least estimate, as NCCL's topoGetAlgoInfo), or the best of those that
/// the user wishes. Throws InputError for a system, an operation or a wish that there is not.
LibraryRun library_run(const Catalog& catalog, const LibraryCall& call, const LibraryWish& wish = {});

/// All that the tuner weighs, in the order of algorithms and protocols.
std::vector<LibraryRun> library_candidates(const Catalog& catalog, const LibraryCall& call);

/// Versions whose installations the catalog tells apart on a system, and which `LibraryCall::version` may
/// name.
std::vector<std::string> library_versions(const Catalog& catalog, const std::string& system);

/// Whether a system's collective has constants of steps.
bool has_library_steps(const Catalog& catalog, const std::string& system, const std::string& operation);

/// Bytes of an element by the name that tables give a type: fp16 2, int8 1, fp32 4.
double element_bytes_of(const std::string& dtype, const std::string& dashes = {});

/// Whether a shape (operation, devices, bytes) took no part in the fit of the shipped constants: a fifth.
bool is_library_held_out(const std::string& operation, const ShapeValues& shape);

/// Fits the constants of every collective of a table on the shapes that are not held out, and writes them as
/// a catalog file. Systems without an entry of operation `tuner` are left out. `source` says where the times
/// come from.
std::string fitted_library_tables(const OperatorTable& table, const Catalog& catalog,
                                  const std::string& source);

}  // namespace trainyard
