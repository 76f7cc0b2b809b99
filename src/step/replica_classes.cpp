#include "step/replica_classes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/errors.h"
#include "base/whole_numbers.h"
#include "trainyard/errors.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario/step.h"

namespace trainyard {
namespace {

using Records = std::vector<std::int32_t>;

/// Replicas next to each other that are alike in all that counts.
struct Segment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int32_t straggler = -1;
  Records failures;
  std::vector<Records> peers;  // failures of others in its expert-parallel groups

  auto key() const { return std::tie(straggler, failures, peers); }
  bool usual() const { return straggler < 0 && failures.empty() && peers.empty(); }
};

class Segments {
 public:
  Segments(const std::vector<StragglerInput>& stragglers, const std::vector<StepFailureInput>& failures,
           const MappingPlan& m)
      : stragglers_(stragglers), m_(m) {
    add_stragglers();
    for (const StepFailureInput& f : failures) places_.push_back(failed_places(f, m));
  }

  std::vector<Segment> all() const {
    std::vector<Segment> out;
    const std::set<std::int64_t> cuts = this->cuts();
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut)
      out.push_back({*cut, *std::next(cut), straggler_of(*cut), failures_of(*cut), {}});
    if (m_.replicas_together() > 1) add_peers(out);
    return out;
  }

 private:
  void add_stragglers() {
    std::int64_t usual = m_.data;
    for (const StragglerInput& s : stragglers_) {
      if (s.stage >= m_.pipeline) {
        fail_input(place_of(s.places, "stage"),
                   fmt::format("straggler.stage = {} of {}", s.stage, counted(m_.pipeline, "stage")),
                   fmt::format("allowed: 0 to {}", m_.pipeline - 1));
      }
      usual -= s.replicas;
      if (usual < 0) {
        fail_input(place_of(s.places, "replicas"),
                   "stragglers in more than the " + counted(m_.data, "replica"), "lower straggler.replicas");
      }
    }
    for (const StragglerInput& s : stragglers_) {
      straggler_begins_.push_back(usual);
      usual += s.replicas;
    }
  }

  /// Where a replica may differ from the one before it.
  std::set<std::int64_t> cuts() const {
    std::set<std::int64_t> out = {0, m_.data};
    out.insert(straggler_begins_.begin(), straggler_begins_.end());
    for (const FailedPlaces& p : places_) {
      for (const std::int64_t cut : {p.replica, p.end_replica}) {
        out.insert(cut);
        out.insert(rounded_down(cut, m_.replicas_together()));
        out.insert(std::min(m_.data, rounded_up(cut, m_.replicas_together())));
      }
    }
    return out;
  }

  std::int32_t straggler_of(std::int64_t replica) const {
    const auto next = std::upper_bound(straggler_begins_.begin(), straggler_begins_.end(), replica);
    return static_cast<std::int32_t>(next - straggler_begins_.begin()) - 1;
  }

  Records failures_of(std::int64_t replica) const {
    Records out;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (replica >= places_[i].replica && replica < places_[i].end_replica)
        out.push_back(static_cast<std::int32_t>(i));
    }
    return out;
  }

  /// Segments that share an expert-parallel group feel each other's failures in its all-to-alls.
  void add_peers(std::vector<Segment>& segments) const {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::int64_t together = m_.replicas_together();
      const std::int64_t group = rounded_down(segments[i].begin, together);
      std::set<Records> peers;
      std::size_t first = i;
      while (first > 0 && segments[first - 1].end > group) --first;
      for (std::size_t j = first; j < segments.size() && segments[j].begin < group + together; ++j) {
        if (!segments[j].failures.empty()) peers.insert(segments[j].failures);
      }
      peers.erase(segments[i].failures);
      segments[i].peers.assign(peers.begin(), peers.end());
    }
  }

  const std::vector<StragglerInput>& stragglers_;
  const MappingPlan& m_;
  std::vector<std::int64_t> straggler_begins_;
  std::vector<FailedPlaces> places_;
};

/// Classes of equal segments; the segments' lengths are their replicas.
struct Merged {
  std::vector<Segment> kinds;
  std::vector<std::int64_t> replicas;
};

Merged merged(const std::vector<Segment>& segments) {
  Merged out;
  for (const Segment& s : segments) {
    const auto same = std::find_if(out.kinds.begin(), out.kinds.end(),
                                   [&](const Segment& kind) { return kind.key() == s.key(); });
    const auto at = same - out.kinds.begin();
    if (same == out.kinds.end()) {
      out.kinds.push_back(s);
      out.replicas.push_back(0);
    }
    out.replicas[static_cast<std::size_t>(at)] += s.end - s.begin;
  }
  return out;
}

void add_usual(std::vector<ReplicaClass>& out, std::int64_t usual, const StepInput& step) {
  const std::int64_t sampled = std::min(step.jitter > 0 ? step.replicas : 1, usual);
  for (std::int64_t i = 0; i < sampled; ++i)
    out.push_back({.replicas = usual / sampled + (i < usual % sampled ? 1 : 0)});
}

}  // namespace

std::vector<ReplicaClass> replica_classes(const StepInput& step,
                                          const std::vector<StragglerInput>& stragglers,
                                          const std::vector<StepFailureInput>& failures,
                                          const MappingPlan& mapping) {
  const Merged all = merged(Segments(stragglers, failures, mapping).all());
  std::vector<ReplicaClass> out;
  std::vector<std::vector<Records>> peers;
  for (std::size_t i = 0; i < all.kinds.size(); ++i) {
    if (all.kinds[i].usual()) add_usual(out, all.replicas[i], step);
  }
  peers.resize(out.size());
  for (std::size_t i = 0; i < all.kinds.size(); ++i) {
    const Segment& kind = all.kinds[i];
    if (kind.usual()) continue;
    out.push_back({.replicas = all.replicas[i], .straggler = kind.straggler, .failures = kind.failures});
    peers.push_back(kind.peers);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Records& failed : peers[i]) {
      const auto found =
          std::find_if(out.begin(), out.end(), [&](const ReplicaClass& c) { return c.failures == failed; });
      TY_ASSERT(found != out.end(), "peers are replicas");
      out[i].expert_peers.push_back(static_cast<std::int32_t>(found - out.begin()));
    }
  }
  return out;
}

}  // namespace trainyard
