#include "network/wiring/failures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/errors.h"
#include "network/wiring/named_ports.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::wiring {
namespace {

Picoseconds rounded_up(Seconds time, Picoseconds step) {
  const double steps = std::ceil(time.si() * kPicosecondsPerSecond / static_cast<double>(step));
  return static_cast<Picoseconds>(steps) * step;
}

/// A failure of one direction of a link.
struct Loss {
  Picoseconds from = 0;
  Picoseconds until = kNever;
  double left = 0;  // of the rate
};

/// The least that is left by all that have failed at that time.
double left_at(const std::vector<Loss>& losses, Picoseconds time) {
  double out = 1;
  for (const Loss& loss : losses) {
    if (loss.from <= time && time < loss.until) out = std::min(out, loss.left);
  }
  return out;
}

std::vector<Picoseconds> times_of(const std::vector<Loss>& losses) {
  std::vector<Picoseconds> out;
  for (const Loss& loss : losses) {
    out.push_back(loss.from);
    if (loss.until != kNever) out.push_back(loss.until);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<LinkChange> link_changes(const Layout& layout, const std::vector<FailureInput>& failures) {
  const Picoseconds step = layout.shortest_delay();
  std::map<std::uint32_t, std::vector<Loss>> losses;  // by port
  for (const FailureInput& failure : failures) {
    const Loss loss{rounded_up(failure.from, step), failure.until ? rounded_up(*failure.until, step) : kNever,
                    failure.rate_share.value_or(0)};
    for (const std::uint32_t port :
         named_ports(layout, {"failure", failure.node, failure.uplink, failure.plane, failure.places})) {
      const Wire& wire = layout.wires[port];
      losses[port].push_back(loss);
      losses[layout.nodes[wire.node].first_port + wire.in_port].push_back(loss);
    }
  }
  std::vector<LinkChange> out;
  for (const auto& [port, its] : losses) {
    double before = 1;
    for (const Picoseconds time : times_of(its)) {
      const double now = left_at(its, time);
      if (now != before) out.push_back({time, port, now});
      before = now;
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LinkChange& a, const LinkChange& b) { return a.time < b.time; });
  return out;
}

namespace {

/// Links as fast as what is left of others, made as they are asked for.
class SlowerLinks {
 public:
  explicit SlowerLinks(Layout& layout) : layout_(layout) {}

  std::uint16_t of(std::uint16_t link, double share) {
    if (share == 1) return link;
    const auto [known, is_new] =
        known_.try_emplace({link, share}, static_cast<std::uint16_t>(layout_.links.size()));
    if (is_new) add(link, share);
    return known->second;
  }

 private:
  void add(std::uint16_t link, double share) {
    LinkRules slower = layout_.links[link];
    const double time = static_cast<double>(slower.picoseconds_per_byte) / share;
    slower.picoseconds_per_byte = ByteTime::of(std::min(time, ByteTime::kMost));
    layout_.links.push_back(slower);
    ++layout_.slowed;
    TY_ASSERT(layout_.links.size() < Fault::kSameLink, "more kinds of links than are numbered");
  }

  Layout& layout_;
  std::map<std::pair<std::uint16_t, double>, std::uint16_t> known_;
};

}  // namespace

std::vector<Fault> faults_of(Layout& layout, const std::vector<FailureInput>& failures) {
  SlowerLinks slower(layout);
  std::map<std::uint32_t, double>
      rates;  // by port, of those that have changed: the share that is left, or was last
  std::map<std::uint32_t, bool> down;
  std::vector<Fault> out;
  for (const LinkChange& change : link_changes(layout, failures)) {
    const bool now_down = change.share == 0;
    bool& was_down = down[change.port];
    if (now_down != was_down) out.push_back({change.time, change.port, now_down});
    was_down = now_down;
    if (now_down) continue;
    const auto [rate, is_new] = rates.try_emplace(change.port, 1);
    if (rate->second == change.share) continue;
    rate->second = change.share;
    out.push_back({change.time, change.port, false, slower.of(layout.wires[change.port].link, change.share)});
  }
  return out;
}

}  // namespace trainyard::wiring
