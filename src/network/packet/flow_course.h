// The course of flows: what has to happen before they begin, and what their end lets begin.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "network/packet/agenda.h"
#include "network/packet/packet.h"
#include "network/packet/worker.h"

namespace trainyard::packet {

class FlowCourse {
 public:
  /// Word of a flow's end reaches other hosts after `word_takes`.
  FlowCourse(std::vector<Flow>& flows, const std::vector<Dependency>& dependencies,
             const std::vector<Lineup>& lineups, Picoseconds word_takes, Agenda& agenda)
      : flows_(flows),
        word_takes_(word_takes),
        agenda_(agenda),
        conditions_(flows.size(), 1),
        lineups_(lineups),
        begun_(lineups.size(), 0) {
    for (const Lineup& lineup : lineups) {
      for (const std::uint32_t flow : lineup) ++conditions_[flow];
    }
    if (dependencies.empty()) return;
    first_dependent_.assign(flows.size() + 1, 0);
    for (const Dependency& d : dependencies) ++first_dependent_[d.before + 1];
    for (std::size_t f = 0; f < flows.size(); ++f) first_dependent_[f + 1] += first_dependent_[f];
    dependents_.resize(dependencies.size());
    std::vector<std::uint32_t> place(first_dependent_.begin(), first_dependent_.end() - 1);
    for (const Dependency& d : dependencies) {
      dependents_[place[d.before]++] = d;
      if (d.after < flows.size()) ++conditions_[d.after];
    }
  }

  /// The flow that a release is for, or nobody's: the lineup has come to its end.
  std::uint32_t released(std::uint32_t release) {
    if (release < flows_.size()) return release;
    const std::size_t number = release - flows_.size();
    return begun_[number] < lineups_[number].size() ? lineups_[number][begun_[number]++] : kNobody;
  }
  /// One more of a flow's conditions holds; whether it begins.
  bool begin(std::uint32_t flow, Picoseconds now) {
    if (flow == kNobody || --conditions_[flow] > 0) return false;
    flows_[flow].began = now;
    return true;
  }
  /// The last byte of a flow has reached this host.
  template <class P>
  void received(Worker<P>& worker, std::uint32_t host, Picoseconds now, std::uint32_t flow) {
    flows_[flow].received = now;
    release_dependents(worker, host, now, flow, true);
  }
  /// The sender at this host knows that everything arrived.
  template <class P>
  void finished(Worker<P>& worker, std::uint32_t host, Picoseconds now, std::uint32_t flow) {
    flows_[flow].finished = now;
    ++worker.counters.finished;
    release_dependents(worker, host, now, flow, false);
  }

  /// Conditions, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, conditions_);
    if (!lineups_.empty()) serialize_tables(a, begun_);
  }
  /// Whether what is released may begin at a host.
  bool begins_at(std::uint32_t release, std::uint32_t host) const {
    return release < flows_.size() + lineups_.size() && host_of(release) == host;
  }
  /// Refuses restored times of flows that no run can have (bounds.h).
  void check_restored(Picoseconds now) const {
    keep_all(flows_, [&](const Flow& flow) {
      const auto happened = [&](Picoseconds time) { return time >= flow.start && time <= now; };
      if (flow.began == kNever) return flow.received == kNever && flow.finished == kNever;
      return happened(flow.began) && (flow.received == kNever || happened(flow.received)) &&
             (flow.finished == kNever || happened(flow.finished));
    });
  }

 private:
  std::uint32_t host_of(std::uint32_t release) const {
    return flows_[release < flows_.size() ? release : lineups_[release - flows_.size()].front()].from;
  }
  /// Those that wait for this end may begin, at once at this host, elsewhere when word has come.
  template <class P>
  void release_dependents(Worker<P>& worker, std::uint32_t host, Picoseconds now, std::uint32_t flow,
                          bool on_receipt) {
    if (dependents_.empty()) return;
    for (std::uint32_t d = first_dependent_[flow]; d < first_dependent_[flow + 1]; ++d) {
      if (dependents_[d].on_receipt != on_receipt) continue;
      const std::uint32_t after = dependents_[d].after;
      const std::uint32_t there = host_of(after);
      if (there == host) {
        agenda_.add_now({now, host, after});
      } else {
        worker.releases.push_back({now + word_takes_, there, after});
      }
    }
  }

  std::vector<Flow>& flows_;
  Picoseconds word_takes_;
  Agenda& agenda_;
  std::vector<std::uint32_t> conditions_;  // of each flow: what has to happen before it begins
  std::vector<Lineup> lineups_;
  std::vector<std::uint32_t> begun_;  // of each lineup
  std::vector<std::uint32_t> first_dependent_;
  std::vector<Dependency> dependents_;
};

}  // namespace trainyard::packet
