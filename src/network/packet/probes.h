// Time series of chosen ports and flows, at exact simulated times.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "trainyard/errors.h"
#include "trainyard/packet_records.h"

namespace trainyard::packet {

/// Samples that a run keeps at most, of all probes together.
constexpr std::size_t kMostSamples = 1'000'000;

/// What a probe's port has done since its last sample.
struct PortWatch {
  std::uint32_t next = 0xFFFFFFFF;  // watch of the same port
  std::uint64_t longest_bytes = 0;
  Picoseconds busy = 0;  // since the start, and until the port is free
  std::uint64_t marks = 0;
  std::uint64_t trims = 0;
  std::uint64_t drops = 0;
  std::uint64_t lost = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(longest_bytes, busy, marks, trims, drops, lost);
  }
};

/// When probes are due, and what they have seen.
class Probes {
 public:
  /// Since the start.
  struct Totals {
    std::uint64_t sent_bytes = 0;
    Picoseconds busy = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(sent_bytes, busy);
    }
  };

  explicit Probes(const std::vector<Probe>& probes) : totals_(probes.size()) {
    for (const Probe& probe : probes) {
      series_.push_back({probe, {}, {}});
      next_.push_back(probe.from);
    }
    find_due();
  }

  bool any() const { return !series_.empty(); }
  /// When the next sample is due; kNever: none is.
  Picoseconds due() const { return due_; }
  const std::vector<ProbeSeries>& series() const { return series_; }

  /// Takes the samples that are due: `queue(number, sample)` fills in what the port of a probe has and
  /// returns what it has done since the start, `flow(number, sample)` fills in what a flow has.
  template <class LookAtQueue, class LookAtFlow>
  void sample(const LookAtQueue& queue, const LookAtFlow& flow) {
    const Picoseconds now = due_;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      if (next_[i] != now) continue;
      take(i, now, queue, flow);
      const Probe& probe = series_[i].probe;
      next_[i] = probe.interval <= probe.until - now ? now + probe.interval : kNever;
    }
    find_due();
  }
  /// The same at the end of a run, of all whose time has not ended.
  template <class LookAtQueue, class LookAtFlow>
  void close(Picoseconds now, const LookAtQueue& queue, const LookAtFlow& flow) {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Probe& probe = series_[i].probe;
      if (now >= probe.from && now <= probe.until && last(i) != now) take(i, now, queue, flow);
    }
  }

  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    for (ProbeSeries& series : series_) a(series.queue, series.flow);
    serialize_tables(a, next_, totals_);
    if constexpr (Archive::is_loading::value) {
      find_due();
      taken_ = taken();
    }
  }
  /// Refuses restored samples that no run has at that time (bounds.h).
  void check_restored(Picoseconds now) const {
    keep_bounds(taken() <= kMostSamples);
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Probe& probe = series_[i].probe;
      const std::size_t count = probe.of_flow ? series_[i].flow.size() : series_[i].queue.size();
      keep_bounds((probe.of_flow ? series_[i].queue.size() : series_[i].flow.size()) == 0);
      keep_bounds(count == 0 ? next_[i] == probe.from : last(i) == probe.from + (count - 1) * probe.interval);
      keep_bounds(count == 0 || next_[i] == kNever || next_[i] == last(i) + probe.interval);
      keep_bounds(count == 0 || last(i) <= now);
      keep_bounds(next_[i] != kNever || probe.interval > probe.until - last(i));
    }
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const ProbeSeries& series : series_)
      sum += series.queue.capacity() * sizeof(QueueSample) + series.flow.capacity() * sizeof(FlowSample);
    return sum;
  }

 private:
  Picoseconds last(std::size_t i) const {
    const ProbeSeries& series = series_[i];
    if (series.probe.of_flow) return series.flow.empty() ? kNever : series.flow.back().time;
    return series.queue.empty() ? kNever : series.queue.back().time;
  }

  template <class LookAtQueue, class LookAtFlow>
  void take(std::size_t i, Picoseconds now, const LookAtQueue& queue, const LookAtFlow& flow) {
    if (++taken_ > kMostSamples) too_many(now);
    ProbeSeries& series = series_[i];
    if (series.probe.of_flow) {
      FlowSample sample;
      sample.time = now;
      flow(i, sample);
      series.flow.push_back(sample);
      return;
    }
    QueueSample sample;
    sample.time = now;
    const Totals totals = queue(i, sample);
    // What went before the first sample is not the probe's.
    if (series.queue.empty()) {
      QueueSample first;
      first.time = now;
      first.queue_bytes = first.longest_bytes = sample.queue_bytes;
      first.control_bytes = sample.control_bytes;
      sample = first;
    } else {
      sample.span = now - series.queue.back().time;
      sample.sent_bytes = totals.sent_bytes - totals_[i].sent_bytes;
      sample.busy = totals.busy - totals_[i].busy;
    }
    totals_[i] = totals;
    series.queue.push_back(sample);
  }

  std::size_t taken() const {
    std::size_t sum = 0;
    for (const ProbeSeries& series : series_) sum += series.queue.size() + series.flow.size();
    return sum;
  }
  void find_due() {
    due_ = kNever;
    for (const Picoseconds time : next_) due_ = std::min(due_, time);
  }

  [[noreturn]] void too_many(Picoseconds now) const {
    fail_input(whole("probe.interval"),
               fmt::format("{} probes have taken {} samples by {:.6g} s of simulated time: no more are kept",
                           series_.size(), kMostSamples, seconds(now).si()),
               "longer intervals, fewer probes, or 'probe.until'");
  }

  std::vector<ProbeSeries> series_;
  std::vector<Picoseconds> next_;  // of each probe
  std::vector<Totals> totals_;     // of each probe's port, at its last sample
  Picoseconds due_ = kNever;
  std::size_t taken_ = 0;
};

}  // namespace trainyard::packet
