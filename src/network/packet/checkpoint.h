// Checkpoints: a running simulation as a file, from which another process goes on to exactly the same result,
// with any number of threads.
//
// A file is one line of text, "trainyard checkpoint FORMAT LENGTH CHECKSUM", and LENGTH bytes: the identity
// of the run, the moments of its charts, and the state of engine and transport between two windows
// (archive.h; numbers as the processor writes them). Nothing in it depends on threads.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/packet/moments.h"
#include "network/wiring/faults.h"
#include "trainyard/flow.h"
#include "trainyard/packet_records.h"
#include "trainyard/units.h"

namespace trainyard::packet {

/// What has to be the same where a run continues: names with values, such as {"simulation.window", "50"}.
using CheckpointIdentity = std::vector<std::pair<std::string, std::string>>;

/// Short names of what is simulated, however it was described: network, traffic and failures.
CheckpointIdentity identity_of(const Layout& layout, const std::vector<Flow>& flows,
                               const std::vector<Dependency>& dependencies,
                               const std::vector<Lineup>& lineups, const std::vector<Connection>& connections,
                               const std::vector<Fault>& faults);

/// The content of a checkpoint file. `write_state` appends the state.
std::string checkpoint_text(const CheckpointIdentity& identity,
                            const std::function<void(std::string&)>& write_state);

/// The state in the content of a file, after its identity. Throws InputError naming `file` for what is no
/// whole checkpoint, and for one with another identity, saying what differs.
std::string_view checkpoint_state(const std::string& file, std::string_view text,
                                  const CheckpointIdentity& identity);

/// Throws InputError where the rules would write over what their run did not make.
void check_place(const CheckpointRules& rules);

/// Saves a run from time to time.
class Checkpoints {
 public:
  /// Reads the file to continue from. Throws InputError (check_place). `moments` outlives this.
  Checkpoints(const CheckpointRules& rules, CheckpointIdentity identity, Moments& moments);

  /// Calls `read(state)`, which takes from the state what it reads; not called for a run from the start.
  /// Throws InputError when that is not the state of this simulation.
  void restore(const std::function<void(std::string_view&)>& read);

  /// Saves when it is time; false when the run is to stop. `write_state` appends the state.
  bool after_window(const std::function<void(std::string&)>& write_state);

  /// Whether the run was stopped before its end.
  bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool due() const;
  void save(const std::function<void(std::string&)>& write_state);

  CheckpointRules rules_;
  CheckpointIdentity identity_;
  Moments& moments_;
  std::string resumed_;  // the file's content
  Clock::time_point saved_at_ = Clock::now();
  bool stopped_ = false;
};

}  // namespace trainyard::packet
