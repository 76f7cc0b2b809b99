// When packets were sent to receivers that remember nothing (UE 1.0, RUDI): each one's own silence tells of
// its loss.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/outstanding.h"

namespace trainyard::packet {

class Silences {
 public:
  /// `flows`: 0 where nobody needs it.
  Silences(std::size_t flows, Picoseconds timeout) : timeout_(timeout), flows_(flows) {}

  void sent(std::uint32_t flow, std::uint32_t sequence, Picoseconds now) {
    flows_[flow].under_way.add(now, sequence);
  }
  bool any(std::uint32_t flow) const { return !flows_[flow].under_way.empty(); }
  /// It was acknowledged, or reported as cut.
  void answered(std::uint32_t flow, std::uint32_t sequence) {
    if (Outstanding::Entry* entry = flows_[flow].under_way.find_open(sequence)) entry->open = false;
  }
  /// Something that was not known to have arrived has.
  void arrived(std::uint32_t flow) { flows_[flow].backoff = 0; }
  /// Of the oldest packet under way; of none, a timeout from now.
  Picoseconds deadline(std::uint32_t flow, Picoseconds now) {
    Flow& f = flows_[flow];
    f.under_way.drop_settled();
    const Picoseconds oldest = f.under_way.empty() ? now : f.under_way.front().sent;
    return oldest + wait(oldest < f.reduced ? before(f) : f.backoff);
  }
  /// Calls `lost(sequence)` for all that have been silent for their timeout. That doubles where one of them
  /// was sent after the last loss, as repeats are, and not once more for each packet of one window.
  template <class Lost>
  void lose(std::uint32_t flow, Picoseconds now, const Lost& lost) {
    Flow& f = flows_[flow];
    const Picoseconds silent =
        std::max(std::min(f.reduced, since(now, wait(before(f)))), since(now, wait(f.backoff)));
    bool later = false;
    for (std::uint32_t i = 0; i < f.under_way.size(); ++i) {
      Outstanding::Entry& entry = f.under_way.at(i);
      if (entry.sent >= silent) break;
      if (!entry.open) continue;
      entry.open = false;
      later |= entry.sent >= f.reduced;
      lost(entry.sequence);
    }
    f.under_way.drop_settled();
    if (!later) return;
    f.backoff = static_cast<std::uint8_t>(std::min(f.backoff + 1, kMostBackoff));
    f.reduced = now;
  }

  std::size_t bytes() const { return table_bytes(flows_); }
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, flows_);
  }
  /// Refuses a restored state that would lead out of bounds; `packets(flow)` are those of a flow.
  template <class Count>
  void check_restored(Picoseconds now, const Count& packets) const {
    for (std::uint32_t f = 0; f < flows_.size(); ++f) {
      keep_bounds(flows_[f].under_way.open_below(packets(f)) != ~std::uint32_t{0});
      keep_bounds(is_past(flows_[f].reduced, now) && flows_[f].backoff <= kMostBackoff);
    }
  }

 private:
  static constexpr int kMostBackoff = 10;

  struct Flow {
    Outstanding under_way;
    Picoseconds reduced = 0;  // the last loss
    std::uint8_t backoff = 0;

    std::size_t bytes() const { return under_way.bytes(); }
    template <class Archive>
    void serialize(Archive& a) {
      a(under_way, reduced, backoff);
    }
  };

  /// Doublings that hold for packets that were sent before the last loss.
  static int before(const Flow& f) { return f.backoff > 0 ? f.backoff - 1 : 0; }
  Picoseconds wait(int doublings) const { return timeout_ << static_cast<unsigned>(doublings); }
  /// What was sent before this has been silent for so long.
  static Picoseconds since(Picoseconds now, Picoseconds wait) { return now >= wait ? now - wait + 1 : 0; }

  Picoseconds timeout_;
  std::vector<Flow> flows_;
};

}  // namespace trainyard::packet
