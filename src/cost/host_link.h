// Activations that wait on the host between their passes, where passes are played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "parallel/schedules.h"
#include "trainyard/units.h"

namespace trainyard {

/// Which activations leave, when a forward pass has room for its own, and when those of a backward pass are
/// back (src/step/builder/offload.cpp does the same with operations).
class HostLink {
 public:
  /// `to_host`: what a chunk's activations take to the host and back, by depth.
  HostLink(const ScheduleOrder& order, std::vector<Seconds> to_host);

  bool is_used() const { return !on_host_.empty(); }

  /// When the pass at `position` of a stage may begin.
  Seconds ready(std::size_t stage, std::size_t position, const ChunkPass& pass);

  /// After the pass that follows those noted before.
  void note_end(std::size_t stage, const ChunkPass& pass, Seconds end);

 private:
  struct Lane {
    std::vector<Seconds> ends;  // of its passes
    std::vector<Seconds> left;  // of transfers to the host
    Seconds back{0};            // of the last from there
  };

  std::int64_t key(const ChunkPass& p) const { return std::int64_t{p.microbatch} * depths_ + p.depth; }
  void note_away(const std::vector<ChunkPass>& passes);

  std::int64_t depths_;
  std::vector<Seconds> to_host_;
  std::vector<Lane> lanes_;
  std::map<std::int64_t, Seconds> on_host_;  // by microbatch and depth, when they have arrived
};

}  // namespace trainyard
