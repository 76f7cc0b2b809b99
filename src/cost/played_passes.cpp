#include "cost/played_passes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/whole_numbers.h"
#include "parallel/schedules.h"
#include "trainyard/range.h"

namespace trainyard {
namespace {

/// Work at an end of the model is a product: one forward pass and two of the same size backward.
constexpr double kEndPart = 1.0 / 3;

/// Layers of two passes in turns on one device: transfers of one run beside the compute of the other.
class Turns {
 public:
  Turns(const PlayedStage& forward, const PlayedStage& backward, bool last) {
    Pass ways[] = {{forward.forward, real(forward.layers)}, {backward.backward, real(backward.layers)}};
    const Seconds head = forward.ends * kEndPart;
    const Seconds head_back = backward.ends * (2 * kEndPart);
    if (!last) free_ = head + head_back;  // the forward pass begins the model, or neither is at an end
    const std::int64_t layers = std::max(forward.layers, backward.layers);
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

/// Passes in the order of a schedule, each when its stage is free and what it needs has come.
class Player {
 public:
  Player(const ScheduleRules& rules, const std::vector<PlayedStage>& stages, std::int64_t microbatches,
         bool waits)
      : stages_(stages),
        waits_(waits),
        order_(rules.order(
            {static_cast<std::int32_t>(std::ssize(stages)), static_cast<std::int32_t>(microbatches), 1})),
        devices_(stages.size()),
        met_(stages.size()) {
    const auto chunks = static_cast<std::size_t>(microbatches * order_.depths);
    forward_.assign(chunks, kNotYet);
    backward_.assign(chunks, kNotYet);
  }

  struct Played {
    Seconds time;
    std::vector<PlayedTransfers> of;  // each device's
    std::size_t busiest = 0;
  };

  Played play() {
    for (bool went = true; went;) {
      went = false;
      for (std::size_t stage = 0; stage < devices_.size(); ++stage) {
        while (advance(stage)) went = true;
      }
    }
    Played out;
    Seconds busiest{0};
    for (const Device& device : devices_) {
      out.time = std::max(out.time, device.free);
      out.of.push_back(device.of);
      const Seconds busy = device.busy + device.of.sends;
      if (busy < busiest) continue;
      busiest = busy;
      out.busiest = out.of.size() - 1;
    }
    return out;
  }

 private:
  static constexpr Seconds kNotYet{-1};

  struct Device {
    std::size_t next = 0;
    Seconds free{0};
    Seconds busy{0};
    PlayedTransfers of;
  };

  std::size_t chunk(std::int32_t microbatch, std::int32_t depth) const {
    return static_cast<std::size_t>(std::int64_t{microbatch} * order_.depths + depth);
  }
  bool is_last(const ChunkPass& p) const { return p.depth == order_.depths - 1; }

  /// When what a pass needs has come.
  Seconds arrival(const ChunkPass& p) const {
    if (p.work == ChunkWork::backward_weight) return Seconds(0);
    if (p.work == ChunkWork::forward)
      return p.depth == 0 ? Seconds(0) : forward_[chunk(p.microbatch, p.depth)];
    return is_last(p) ? Seconds(0) : backward_[chunk(p.microbatch, p.depth)];
  }

  bool advance(std::size_t stage) {
    Device& device = devices_[stage];
    const auto& passes = order_.stages[stage];
    if (device.next == passes.size()) return false;
    const ChunkPass& pass = passes[device.next];
    const Seconds came = arrival(pass);
    if (came == kNotYet) return false;
    if (pass.with_next) return pair(device, pass, passes[device.next + 1]);
    const Seconds end = std::max(device.free, came) + alone(device, pass);
    device.free = send(pass, end);
    device.of.sends += device.free - end;
    ++device.next;
    return true;
  }

  bool pair(Device& device, const ChunkPass& forward, const ChunkPass& backward) {
    const Seconds came = arrival(backward);
    if (came == kNotYet) return false;
    const PlayedStage& ahead = stages_[index(forward.depth)];
    const PlayedStage& back = stages_[index(backward.depth)];
    const Turns& turns = turns_of(forward, backward);
    const Seconds layer = ahead.forward.compute / real(std::max<std::int64_t>(1, ahead.layers));
    const Seconds begin = std::max({device.free, arrival(forward), came - layer});
    const Seconds time = std::max(turns.forward_end, turns.backward_end);
    const Seconds transfers =
        ahead.forward.alone() - ahead.forward.compute + back.backward.alone() - back.backward.compute;
    device.busy += time;
    device.of.exposed += time - turns.compute;
    device.of.transfers += transfers;
    const Seconds sent = send(forward, begin + turns.forward_end);
    device.free = std::max({begin + time, sent, send(backward, begin + turns.backward_end)});
    device.of.sends += device.free - (begin + time);  // both ways at once
    device.next += 2;
    return true;
  }

  /// A stage's forward passes meet those of one other stage, mostly.
  const Turns& turns_of(const ChunkPass& forward, const ChunkPass& backward) {
    Met& met = met_[index(forward.depth)];
    if (met.depth != backward.depth) {
      met.depth = backward.depth;
      met.turns.emplace(stages_[index(forward.depth)], stages_[index(backward.depth)], is_last(forward));
    }
    return *met.turns;
  }

  /// A pass by itself.
  Seconds alone(Device& device, const ChunkPass& pass) const {
    const PlayedStage& stage = stages_[index(pass.depth)];
    const Seconds ends = stage.ends * (pass.work == ChunkWork::backward ? 2 * kEndPart : kEndPart);
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
  Seconds send(const ChunkPass& pass, Seconds end) {
    if (pass.work == ChunkWork::backward_weight) return end;
    const bool forward = pass.work == ChunkWork::forward;
    if (forward ? is_last(pass) : pass.depth == 0) return end;
    const PlayedStage& stage = stages_[index(pass.depth)];
    const Seconds time = forward ? stage.send_behind : stage.send_before;
    (forward ? forward_ : backward_)[chunk(pass.microbatch, pass.depth + (forward ? 1 : -1))] = end + time;
    return waits_ ? end + time : end;
  }

  struct Met {
    std::int32_t depth = -1;
    std::optional<Turns> turns;
  };

  const std::vector<PlayedStage>& stages_;
  bool waits_;
  ScheduleOrder order_;
  std::vector<Device> devices_;
  std::vector<Met> met_;          // by the depth of the forward pass
  std::vector<Seconds> forward_;  // arrivals, by microbatch and depth
  std::vector<Seconds> backward_;
};

}  // namespace

PlayedStep played_passes(const ScheduleRules& rules, const std::vector<PlayedStage>& stages,
                         std::int64_t microbatches, bool waits) {
  constexpr std::int64_t kLong = 10;  // times the stages: behind that a step's passes repeat
  const std::int64_t many = kLong * std::ssize(stages);
  const auto played_to_the_end = [&](std::int64_t m) { return Player(rules, stages, m, waits).play(); };
  if (microbatches <= many + 1) {
    const auto all = played_to_the_end(microbatches);
    return {all.time, all.of[all.busiest]};
  }
  const std::int64_t period = 2 * std::ssize(stages);
  const std::int64_t played = many + (microbatches - many) % 2;
  const auto long_one = played_to_the_end(played);
  const auto short_one = played_to_the_end(played - period);
  const double more = real(microbatches - played) / real(period);
  const auto longer = [&](Seconds a, Seconds b) { return a + (a - b) * more; };
  const PlayedTransfers& a = long_one.of[long_one.busiest];
  const PlayedTransfers& b = short_one.of[long_one.busiest];
  return {longer(long_one.time, short_one.time),
          {longer(a.sends, b.sends), longer(a.exposed, b.exposed), longer(a.transfers, b.transfers)}};
}

}  // namespace trainyard
