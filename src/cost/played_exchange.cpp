#include "cost/played_exchange.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/stopping.h"
#include "base/whole_numbers.h"
#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "cost/host_link.h"
#include "cost/pipeline_chunks.h"
#include "cost/step_costs.h"
#include "parallel/known_order.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

using Chunk = PlayedExchange::Chunk;
using Layer = PlayedExchange::Layer;

/// Where in a device's order the last gradients of each chunk's weights are made, by depth.
std::vector<std::size_t> last_gradients(const std::vector<ChunkPass>& order, std::size_t depths) {
  std::vector<std::size_t> out(depths);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (makes_gradients(order[i])) out[index(order[i].depth)] = i;
  }
  return out;
}

std::vector<Seconds> to_host(const std::vector<Chunk>& chunks) {
  std::vector<Seconds> out;
  for (const Chunk& chunk : chunks) out.push_back(chunk.to_host);
  return out;
}

/// Passes in the order of a schedule, each when its stage is free and what it needs has come. Gathers and
/// sums of a stage stand in line in the order in which they are asked for.
class ExchangePlayer {
 public:
  ExchangePlayer(const PlayedExchange::Passes& passes, const ScheduleOrder& order,
                 const LayerExchange& exchange, std::int32_t microbatches)
      : passes_(passes),
        order_(order),
        exchange_(exchange),
        devices_(order.stages.size(), Device(exchange, static_cast<std::size_t>(order.depths))),
        host_(order, to_host(passes.chunks)) {
    const auto chunks = static_cast<std::size_t>(std::int64_t{microbatches} * order_.depths);
    forward_.assign(chunks, kNotYet);
    backward_.assign(chunks, kNotYet);
    devices_.front().blocked = passes_.stall;
    const auto depths = static_cast<std::size_t>(order_.depths);
    for (std::size_t stage = 0; stage < devices_.size(); ++stage) {
      devices_[stage].ends.assign(static_cast<std::size_t>(passes_.ahead) + 1, Seconds(0));
      devices_[stage].last_gradient = last_gradients(order_.stages[stage], depths);
      if (exchange_.returned.si() > 0) return_weights(devices_[stage], order_.stages[stage]);
    }
  }

  Seconds play() {
    for (bool went = true; went;) {
      pause_point();
      went = false;
      for (std::size_t stage = 0; stage < devices_.size(); ++stage) {
        while (advance(stage)) went = true;
      }
    }
    Seconds time{0};
    for (Device& device : devices_) {
      time = std::max({time, device.free, device.blocked, device.line.end()});
    }
    return time;
  }

 private:
  static constexpr Seconds kNotYet{-1};

  struct Device {
    Device(const LayerExchange& exchange, std::size_t depths) : line(exchange, depths) {}

    ExchangeLine line;
    std::size_t next = 0;                        // in its order
    Seconds free{0};                             // computes no more
    Seconds blocked{0};                          // what its next pass waits for
    std::size_t passed = 0;                      // layers
    std::vector<Seconds> ends;                   // of the last of these, round and round
    std::vector<std::size_t> last_gradient;      // by depth, in its order
    std::vector<std::vector<Seconds>> returned;  // by depth and layer
  };

  struct Pass {
    ChunkPass what;
    const Chunk& chunk;
    std::int64_t layers = 0;
    std::int64_t done = 0;
    bool gathers = false;
    bool exchanges = false;
    bool begun = false;
    Seconds came{0};
    Seconds ready{0};
    Seconds computed{0};
    bool ended() const { return done == layers; }
  };

  /// Of all chunks of a device, by their depth, layer by layer from the step's beginning.
  void return_weights(Device& device, const std::vector<ChunkPass>& order) const {
    device.returned.resize(device.last_gradient.size());
    std::vector<bool> held(device.last_gradient.size());
    for (const ChunkPass& pass : order) held[index(pass.depth)] = true;
    for (std::int32_t depth = 0; depth < order_.depths; ++depth) {
      if (!held[index(depth)]) continue;
      const Chunk& chunk = passes_.chunks[index(depth)];
      for (std::int64_t i = 0; i < chunk.layers.total(); ++i) {
        double layers = i < chunk.layers.dense ? passes_.dense.summed : 1;
        if (i == 0) layers += chunk.summed_first * passes_.ends_returned;
        if (i + 1 == chunk.layers.total()) layers += chunk.summed_last * passes_.ends_returned;
        device.returned[index(depth)].push_back(device.line.returned(layers));
      }
    }
  }

  std::size_t chunk(std::int32_t microbatch, std::int32_t depth) const {
    return static_cast<std::size_t>(std::int64_t{microbatch} * order_.depths + depth);
  }
  bool is_last(const ChunkPass& p) const { return p.depth == order_.depths - 1; }
  static bool forward(const ChunkPass& p) { return p.work == ChunkWork::forward; }

  /// When what a pass needs has come.
  Seconds arrival(const ChunkPass& p) const {
    if (p.work == ChunkWork::backward_weight) return Seconds(0);
    if (forward(p)) return p.depth == 0 ? Seconds(0) : forward_[chunk(p.microbatch, p.depth)];
    return is_last(p) ? Seconds(0) : backward_[chunk(p.microbatch, p.depth)];
  }

  bool advance(std::size_t stage) {
    Device& device = devices_[stage];
    const auto& order = order_.stages[stage];
    if (device.next == order.size()) return false;
    const ChunkPass& what = order[device.next];
    if (arrival(what) == kNotYet) return false;
    if (!what.with_next) {
      Pass pass = begin(stage, what, device.next);
      if (!exchanges_anything(device, pass)) all_layers(device, pass);
      while (!pass.ended()) layer(device, pass);
      device.blocked = Seconds(0);
      end(device, pass);
      if (host_.is_used()) host_.note_end(stage, what, pass.computed);
      ++device.next;
      return true;
    }
    const ChunkPass& behind = order[device.next + 1];
    if (arrival(behind) == kNotYet) return false;
    pair(stage, what, behind);
    device.next += 2;
    return true;
  }

  /// Two passes, layer by layer in turns.
  void pair(std::size_t stage, const ChunkPass& ahead, const ChunkPass& behind) {
    Device& device = devices_[stage];
    Pass one = begin(stage, ahead, device.next);
    Pass other = begin(stage, behind, device.next + 1);
    while (!one.ended() || !other.ended()) {
      if (!one.ended()) layer(device, one);
      if (!other.ended()) layer(device, other);
    }
    device.blocked = Seconds(0);
    end(device, one);
    end(device, other);
    if (!host_.is_used()) return;
    host_.note_end(stage, ahead, one.computed);
    host_.note_end(stage, behind, other.computed);
  }

  Pass begin(std::size_t stage, const ChunkPass& what, std::size_t position) {
    Device& device = devices_[stage];
    const Chunk& chunk = passes_.chunks[index(what.depth)];
    Pass pass{what, chunk, chunk.layers.total()};
    pass.gathers = passes_.gathers && what.work != ChunkWork::backward_weight &&
                   (passes_.repeats || order_.first_of_its_way(what.microbatch));
    pass.exchanges =
        makes_gradients(what) && (passes_.repeats || device.last_gradient[index(what.depth)] == position);
    pass.came = arrival(what);
    pass.ready = device.blocked;
    if (host_.is_used()) pass.ready = std::max(pass.ready, host_.ready(stage, position, what));
    if (forward(what) && passes_.repeats) pass.ready = std::max(pass.ready, device.line.summed(what.depth));
    const bool head_before = forward(what) ? what.depth == 0 && !is_last(what) : is_last(what);
    if (head_before && what.work != ChunkWork::backward_weight) head(device, pass);
    if (pass.layers == 0) compute(device, pass, pass.chunk.each * end_part(what));
    return pass;
  }

  /// Compute of a pass; the first waits for what comes from other stages.
  void compute(Device& device, Pass& pass, Seconds time) const {
    if (!std::exchange(pass.begun, true)) pass.ready = std::max(pass.ready, pass.came);
    device.free = pass.ready = pass.computed = std::max(device.free, pass.ready) + time;
  }

  void head(Device& device, Pass& pass) {
    if (!(pass.chunk.head.si() > 0)) return;
    if (forward(pass.what) && pass.gathers && pass.chunk.gathered_behind > 0)
      gather(device, pass, pass.chunk.gathered_behind, false);
    compute(device, pass, pass.chunk.head * end_part(pass.what));
  }

  bool awaits_returned(const Device& device, const Pass& pass) const {
    return forward(pass.what) && !device.returned.empty() && order_.first_of_its_way(pass.what.microbatch);
  }

  bool exchanges_anything(const Device& device, const Pass& pass) const {
    return pass.gathers || pass.exchanges || awaits_returned(device, pass);
  }

  /// Of a pass beside which nothing is exchanged.
  void all_layers(Device& device, Pass& pass) const {
    if (pass.layers == 0) return;
    pass.done = pass.layers;
    const auto sum = [&](auto of) {
      return real(pass.chunk.layers.dense) * of(passes_.dense) +
             real(pass.chunk.layers.sparse) * of(passes_.usual);
    };
    const Layer& ending = pass_ends_dense(pass) ? passes_.dense : passes_.usual;
    const Seconds last = transfers(pass, ending);
    const Seconds between = sum([&](const Layer& layer) { return transfers(pass, layer); }) - last;
    compute(device, pass,
            sum([&](const Layer& layer) { return time(pass, layer); }) + between +
                pass.chunk.each * end_part(pass.what));
    const auto layers = static_cast<std::size_t>(pass.layers);
    device.passed += layers;
    for (std::size_t i = 0; i < std::min(layers, device.ends.size()); ++i)
      device.ends[(device.passed - 1 - i) % device.ends.size()] =
          device.free - real(static_cast<std::int64_t>(i)) * (time(pass, ending) + last);
    pass.ready += last;
  }

  /// Whether the last layer that a pass computes has no experts, where others have.
  static bool pass_ends_dense(const Pass& pass) {
    return pass.chunk.layers.dense > 0 && (!forward(pass.what) || pass.chunk.layers.sparse == 0);
  }

  static Seconds transfers(const Pass& pass, const Layer& layer) {
    if (pass.what.work == ChunkWork::backward_weight) return Seconds(0);
    return forward(pass.what) ? layer.forward_transfers : layer.backward_transfers;
  }

  void layer(Device& device, Pass& pass) {
    const bool begins = pass.done == 0;
    const std::int64_t position = forward(pass.what) ? pass.done : pass.layers - 1 - pass.done;
    const Layer& layer = position < pass.chunk.layers.dense ? passes_.dense : passes_.usual;
    ++pass.done;
    if (pass.gathers) {
      const bool first = begins && forward(pass.what);
      gather(device, pass, layer.gathered + (first ? pass.chunk.gathered_first : 0),
             first && passes_.repeats);
    }
    if (awaits_returned(device, pass))
      pass.ready = std::max(pass.ready, device.returned[index(pass.what.depth)][index(position)]);
    compute(device, pass, time(pass, layer) + (begins ? pass.chunk.each * end_part(pass.what) : Seconds(0)));
    device.ends[device.passed++ % device.ends.size()] = device.free;
    if (pass.exchanges) ask(device, pass, layer.summed, begins);
    pass.ready += transfers(pass, layer);
  }

  Seconds time(const Pass& pass, const Layer& layer) const {
    Seconds out = layer.weight;
    if (forward(pass.what)) out = layer.forward;
    if (pass.what.work == ChunkWork::backward) out = layer.backward;
    if (pass.what.work == ChunkWork::backward_input) out = layer.backward - layer.weight;
    if (pass.gathers)
      out += layer.gathered * (forward(pass.what) ? exchange_.slowed_forward : exchange_.slowed_backward);
    if (pass.exchanges) out += layer.summed * exchange_.slowed_sum;
    return out;
  }

  /// Some layers ahead, behind the gathers before it; the first of a microbatch, whose weights the one before
  /// it still held, anew.
  void gather(Device& device, Pass& pass, double layers, bool anew) {
    const Seconds ahead = device.ends[device.passed % device.ends.size()];
    const Seconds asked = anew ? std::max(device.free, pass.ready) : ahead;
    pass.ready = std::max(pass.ready, device.line.gather(layers, asked));
  }

  void ask(Device& device, const Pass& pass, double layers, bool begins) {
    if (begins) layers += pass.chunk.summed_last;
    if (pass.ended()) layers += pass.chunk.summed_first;
    device.line.sum(layers, device.free, pass.what.depth);
  }

  void end(Device& device, Pass& pass) {
    const ChunkPass& what = pass.what;
    const bool ends_forward = forward(what) && is_last(what);
    const bool ends_backward =
        !forward(what) && what.work != ChunkWork::backward_weight && what.depth == 0 && !is_last(what);
    if (ends_forward || ends_backward || (what.work == ChunkWork::backward_weight && is_last(what)))
      head(device, pass);
    send(pass);
    if (pass.ready > device.free) device.blocked = std::max(device.blocked, pass.ready);
  }

  void send(Pass& pass) {
    const ChunkPass& p = pass.what;
    if (p.work == ChunkWork::backward_weight || (forward(p) ? is_last(p) : p.depth == 0)) return;
    const Seconds sent = pass.ready + (forward(p) ? pass.chunk.send_behind : pass.chunk.send_before);
    (forward(p) ? forward_ : backward_)[chunk(p.microbatch, p.depth + (forward(p) ? 1 : -1))] = sent;
    if (passes_.waits) pass.ready = sent;
  }

  const PlayedExchange::Passes& passes_;
  const ScheduleOrder& order_;
  const LayerExchange& exchange_;
  std::vector<Device> devices_;
  std::vector<Seconds> forward_;  // arrivals, by microbatch and depth
  std::vector<Seconds> backward_;
  HostLink host_;
};

/// Of a layer of one kind.
Layer layer_of(const LayerTimes& times, const CommunicationPlan& c, bool experts) {
  const auto transfers = [&](Seconds tensor, Seconds context, Seconds expert) {
    return c.tensor_exposed * tensor + context + (experts ? c.expert_exposed * expert : Seconds(0));
  };
  Layer out;
  out.forward = times.forward;
  out.forward_transfers = transfers(c.tensor_forward, c.context_forward, c.expert_forward);
  out.backward = times.backward;
  out.backward_transfers = transfers(c.tensor_backward, c.context_backward, c.expert_backward);
  out.weight = times.backward_weight;
  return out;
}

/// All wait for the slowest server, but the link to whose host is as fast as others.
Seconds time_to_host(const PlayedChunk& chunk, const CostCase& costs, const MappingPlan& m,
                     double straggling) {
  const Bytes bytes =
      real(chunk.layers.sparse) * m.activation_layer + real(chunk.layers.dense) * m.dense_activation_layer;
  return bytes / costs.networks.host / straggling;
}

/// By depth.
std::vector<Chunk> chunks_of(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                             const LayerCosts& layer, double straggling) {
  std::vector<Chunk> out;
  for (const PlayedChunk& chunk : played_chunks(costs, m, c, layer)) {
    out.push_back({chunk});
    if (waits_for_host(costs.scenario, m)) out.back().to_host = time_to_host(chunk, costs, m, straggling);
  }
  const ExchangedEnds gathered = gathered_ends(costs, m);
  const ExchangedEnds summed = summed_ends(costs, m);
  out.front().gathered_first = gathered.embedding;
  out.front().summed_first = summed.embedding;
  out.back().gathered_behind = gathered.output;
  out.back().summed_last = summed.output;
  return out;
}

}  // namespace

LayerExchange layer_gathers(double contention, Seconds gather, Seconds sum, Seconds forward,
                            Seconds backward) {
  LayerExchange out;
  const Seconds beside = std::min(sum, backward);
  out.slowed_forward = contention * std::min(gather, forward);
  out.slowed_sum = contention * beside;
  out.slowed_backward = contention * (std::min(gather + sum, backward) - beside);
  const Seconds transfers = 2 * gather + sum;
  if (transfers.si() > 0) out.slower = 1 + contention * std::min(1.0, (forward + backward) / transfers);
  out.gather = gather * out.slower;
  out.sum = sum * out.slower;
  return out;
}

PlayedExchange::PlayedExchange(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                               const StepTimes& step, const LayerCosts& layer)
    : shape_(schedule_shape(m)) {
  passes_.rules = &schedule_of_stages(costs.scenario.step.schedule, m.virtual_stages);
  passes_.usual = layer_of(layer.usual, c, costs.model.shape.experts > 0);
  passes_.dense = layer_of(layer.dense, c, false);
  passes_.dense.gathered = exchanged_dense(costs, m, weights_by_layer);
  passes_.dense.summed = exchanged_dense(costs, m, held_by_layer);
  passes_.chunks = chunks_of(costs, m, c, layer, step.straggling);
  passes_.ahead = costs.scenario.step.prefetch;
  passes_.ends_returned = bytes_of(costs.scenario.precision.weights) / gathered_weight_bytes(costs.scenario);
  passes_.gathers = costs.scenario.mapping.zero_stage == 3 && c.weight_gather.si() > 0;
  passes_.repeats = repeats_gathers(costs.scenario, costs.software, m);
  passes_.stall = step.stall;
  passes_.waits = !hides_sends(costs.software, m);
}

/// Of what a step exchanges once, some rounds of microbatches show all.
Seconds PlayedExchange::time(const Passes& passes, const LayerExchange& exchange,
                             bool every_microbatch) const {
  constexpr std::int32_t kLong = 4;
  constexpr std::int32_t kLongOnce = 2;
  constexpr std::int32_t kLongBesideHost = 16;  // stages that wait for their hosts drift apart for long
  const auto play = [&](std::int32_t microbatches) {
    const auto order = known_order(*passes.rules, {shape_.stages, microbatches, shape_.chunks});
    return ExchangePlayer(passes, *order, exchange, microbatches).play();
  };
  const auto to_host = [](const Chunk& chunk) { return chunk.to_host.si() > 0; };
  const bool beside_host = passes.repeats && std::any_of(passes.chunks.begin(), passes.chunks.end(), to_host);
  const std::int32_t often = beside_host ? kLongBesideHost : kLong;
  const PlayedRounds rounds = played_rounds(*passes.rules, shape_, every_microbatch ? often : kLongOnce);
  const Seconds time = play(rounds.played);
  if (rounds.fewer == 0 || !every_microbatch) return time;
  return time + (time - play(rounds.fewer)) * rounds.more;
}

Seconds PlayedExchange::exposed(const LayerExchange& exchange) const {
  return beyond(time(passes_, exchange, passes_.repeats), time(passes_, {}, passes_.repeats));
}

Seconds PlayedExchange::exposed_to_host() const {
  Passes passes = passes_;
  passes.gathers = passes.repeats = false;
  const Seconds waiting = time(passes, {}, true);
  for (Chunk& chunk : passes.chunks) chunk.to_host = Seconds(0);
  return beyond(waiting, time(passes, {}, true));
}

}  // namespace trainyard
