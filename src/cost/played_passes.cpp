#include "cost/played_passes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/stopping.h"
#include "base/whole_numbers.h"
#include "parallel/known_order.h"
#include "parallel/schedules.h"
#include "trainyard/range.h"

namespace trainyard {
namespace {

/// Layers of two passes in turns on one device: transfers of one run beside the compute of the other.
class Turns {
 public:
  Turns(const PlayedChunk& forward, const PlayedChunk& backward, bool last) {
    Pass ways[] = {{forward.forward, real(forward.layers.total())},
                   {backward.backward, real(backward.layers.total())}};
    const Seconds head = forward.ends() * end_part({ChunkWork::forward});
    const Seconds head_back = backward.ends() * end_part({ChunkWork::backward});
    if (!last) free_ = head + head_back;  // the forward pass begins the model, or neither is at an end
    const std::int64_t layers = std::max(forward.layers.total(), backward.layers.total());
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      for (Pass& pass : ways) {
        if (real(layer) < pass.layers) add_layer(pass);
      }
    }
    if (last) {
      ways[0].ready = std::max(free_, ways[0].ready) + head;
      ways[1].ready = std::max(ways[0].ready, ways[1].ready) + head_back;
    }
    forward_end = ways[0].ready;
    backward_end = ways[1].ready;
    compute = forward.forward.compute + backward.backward.compute + head + head_back;
  }

  Seconds forward_end;
  Seconds backward_end;
  Seconds compute;

 private:
  struct Pass {
    const WayTimes& times;
    double layers;
    Seconds ready{0};
  };

  void add_layer(Pass& pass) {
    free_ = pass.ready = std::max(free_, pass.ready) + pass.times.compute / pass.layers;
    const std::array<Seconds, 3> transfers = {pass.times.tensor, pass.times.context, pass.times.expert};
    for (std::size_t kind = 0; kind < transfers.size(); ++kind) {
      if (!(transfers[kind].si() > 0)) continue;
      streams_[kind] = pass.ready = std::max(streams_[kind], pass.ready) + transfers[kind] / pass.layers;
    }
  }

  Seconds free_{0};  // when the device computes no more
  std::array<Seconds, 3> streams_{};
};

/// When something happens, and how much of the time before it sends between stages took.
struct Moment {
  Seconds at;
  Seconds sends;
  Moment after(Seconds time) const { return {at + time, sends}; }
  Moment sent(Seconds time) const { return {at + time, sends + time}; }
};

Moment later(const Moment& a, const Moment& b) { return a.at < b.at ? b : a; }

/// Passes in the order of a schedule, each when its stage is free and what it needs has come.
class Player {
 public:
  Player(const ScheduleRules& rules, const ScheduleShape& shape, const std::vector<PlayedChunk>& chunks,
         bool waits)
      : chunks_(chunks),
        waits_(waits),
        known_(known_order(rules, shape)),
        order_(*known_),
        devices_(order_.stages.size()),
        met_(chunks.size()) {
    const auto passes = static_cast<std::size_t>(std::int64_t{shape.microbatches} * order_.depths);
    forward_.assign(passes, kNotYet);
    backward_.assign(passes, kNotYet);
  }

  struct Played {
    Moment end;
    std::vector<PlayedTransfers> of;  // each device's
    std::size_t busiest = 0;
  };

  Played play() {
    for (bool went = true; went;) {
      pause_point();
      went = false;
      for (std::size_t stage = 0; stage < devices_.size(); ++stage) {
        while (advance(stage)) went = true;
      }
    }
    Played out;
    Seconds busiest{0};
    for (const Device& device : devices_) {
      out.end = later(out.end, device.free);
      out.of.push_back(device.of);
      const Seconds busy = device.busy + device.of.sends;
      if (busy < busiest) continue;
      busiest = busy;
      out.busiest = out.of.size() - 1;
    }
    return out;
  }

 private:
  static constexpr Moment kNotYet{Seconds(-1), Seconds(0)};
  static bool is_known(const Moment& moment) { return !(moment.at < Seconds(0)); }

  struct Device {
    std::size_t next = 0;
    Moment free;
    Seconds busy{0};
    PlayedTransfers of;
  };

  std::size_t chunk(std::int32_t microbatch, std::int32_t depth) const {
    return static_cast<std::size_t>(std::int64_t{microbatch} * order_.depths + depth);
  }
  bool is_last(const ChunkPass& p) const { return p.depth == order_.depths - 1; }

  /// When what a pass needs has come.
  Moment arrival(const ChunkPass& p) const {
    if (p.work == ChunkWork::backward_weight) return {};
    if (p.work == ChunkWork::forward) return p.depth == 0 ? Moment{} : forward_[chunk(p.microbatch, p.depth)];
    return is_last(p) ? Moment{} : backward_[chunk(p.microbatch, p.depth)];
  }

  bool advance(std::size_t stage) {
    Device& device = devices_[stage];
    const auto& passes = order_.stages[stage];
    if (device.next == passes.size()) return false;
    const ChunkPass& pass = passes[device.next];
    const Moment came = arrival(pass);
    if (!is_known(came)) return false;
    if (pass.with_next) return pair(stage, pass, passes[device.next + 1]);
    const Moment end = later(device.free, came).after(alone(device, pass));
    device.free = send(pass, end);
    device.of.sends += device.free.at - end.at;
    ++device.next;
    return true;
  }

  bool pair(std::size_t stage, const ChunkPass& forward, const ChunkPass& backward) {
    Device& device = devices_[stage];
    const Moment came = arrival(backward);
    if (!is_known(came)) return false;
    const PlayedChunk& ahead = chunks_[index(forward.depth)];
    const PlayedChunk& back = chunks_[index(backward.depth)];
    const Turns& turns = turns_of(forward, backward);
    const Seconds layer = ahead.forward.compute / real(std::max<std::int64_t>(1, ahead.layers.total()));
    const Moment begin = later(later(device.free, arrival(forward)), {came.at - layer, came.sends});
    const Seconds time = std::max(turns.forward_end, turns.backward_end);
    const Seconds transfers =
        ahead.forward.alone() - ahead.forward.compute + back.backward.alone() - back.backward.compute;
    device.busy += time;
    device.of.exposed += time - turns.compute;
    device.of.transfers += transfers;
    const Moment end = begin.after(time);
    const Moment sent = send(forward, begin.after(turns.forward_end));
    device.free = later(later(end, sent), send(backward, begin.after(turns.backward_end)));
    device.of.sends += device.free.at - end.at;  // both ways at once
    device.next += 2;
    return true;
  }

  /// A stage's forward passes meet those of one other stage, mostly.
  const Turns& turns_of(const ChunkPass& forward, const ChunkPass& backward) {
    Met& met = met_[index(forward.depth)];
    if (met.depth != backward.depth) {
      met.depth = backward.depth;
      met.turns.emplace(chunks_[index(forward.depth)], chunks_[index(backward.depth)], is_last(forward));
    }
    return *met.turns;
  }

  /// A pass by itself.
  Seconds alone(Device& device, const ChunkPass& pass) const {
    const PlayedChunk& stage = chunks_[index(pass.depth)];
    const Seconds ends = stage.ends() * end_part(pass);
    Seconds time = stage.weight + ends;
    if (pass.work != ChunkWork::backward_weight) {
      const WayTimes& way = pass.work == ChunkWork::forward ? stage.forward : stage.backward;
      time = way.alone() + ends - (pass.work == ChunkWork::backward_input ? stage.weight : Seconds(0));
      device.of.exposed += way.alone() - way.compute;
      device.of.transfers += way.alone() - way.compute;
    }
    device.busy += time;
    return time;
  }

  /// When a stage goes on that has ended a pass.
  Moment send(const ChunkPass& pass, const Moment& end) {
    if (pass.work == ChunkWork::backward_weight) return end;
    const bool forward = pass.work == ChunkWork::forward;
    if (forward ? is_last(pass) : pass.depth == 0) return end;
    const PlayedChunk& stage = chunks_[index(pass.depth)];
    const Moment sent = end.sent(forward ? stage.send_behind : stage.send_before);
    (forward ? forward_ : backward_)[chunk(pass.microbatch, pass.depth + (forward ? 1 : -1))] = sent;
    return waits_ ? sent : end;
  }

  struct Met {
    std::int32_t depth = -1;
    std::optional<Turns> turns;
  };

  const std::vector<PlayedChunk>& chunks_;
  bool waits_;
  std::shared_ptr<const ScheduleOrder> known_;
  const ScheduleOrder& order_;
  std::vector<Device> devices_;
  std::vector<Met> met_;         // by the depth of the forward pass
  std::vector<Moment> forward_;  // arrivals, by microbatch and depth
  std::vector<Moment> backward_;
};

}  // namespace

PlayedRounds played_rounds(const ScheduleRules& rules, const ScheduleShape& shape, std::int32_t rounds) {
  const std::int32_t period = shape.stages * (rules.pairs_passes ? 2 : 1);
  const std::int32_t more = shape.microbatches / period - rounds;
  if (more < 1) return {shape.microbatches};
  const std::int32_t played = shape.microbatches - more * period;
  return {played, played - period, real(more)};
}

PlayedStep played_passes(const ScheduleRules& rules, const ScheduleShape& shape,
                         const std::vector<PlayedChunk>& chunks, bool waits) {
  constexpr std::int32_t kFewest = 6;
  constexpr std::int32_t kFewPasses = 1 << 14;
  const auto play = [&](std::int32_t microbatches) {
    return Player(rules, {shape.stages, microbatches, shape.chunks}, chunks, waits).play();
  };
  const std::int32_t of_round = 2 * shape.stages * shape.stages * shape.chunks;
  const PlayedRounds rounds = played_rounds(rules, shape, std::max(kFewest, kFewPasses / of_round));
  const auto all = play(rounds.played);
  const PlayedTransfers& a = all.of[all.busiest];
  if (rounds.fewer == 0) return {all.end.at, all.end.sends, a};
  const auto fewer = play(rounds.fewer);
  const auto longer = [&](Seconds end, Seconds earlier) { return end + (end - earlier) * rounds.more; };
  const PlayedTransfers& b = fewer.of[all.busiest];
  return {longer(all.end.at, fewer.end.at),
          longer(all.end.sends, fewer.end.sends),
          {longer(a.sends, b.sends), longer(a.exposed, b.exposed), longer(a.transfers, b.transfers)}};
}

}  // namespace trainyard
