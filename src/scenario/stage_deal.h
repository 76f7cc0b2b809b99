// How a model's layers are dealt over pipeline stages.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trainyard/catalog_records.h"

namespace trainyard {

/// Into how many stages a pipeline is cut, and what the last of them takes.
struct StageCut {
  std::int64_t stages = 1;
  std::int64_t last_layers = 0;  // 0: as StageDeal deals
};

/// How many layers each stage takes: all as many; where they do not divide, the first stages one more. Each
/// module of multi-token prediction brings the output matrix to the last stage once more, about as much work
/// as a layer: where that leaves it the modules at least, the last stage takes a layer less for each. These
/// are the layouts of DeepSeek-V3 in Megatron Bridge 0.3: 61 layers and a module are 15 stages of 4 and one
/// of 2, 32 and 30, 48 and 14. A cut that says what the last stage takes, at most as many as the others,
/// deals the rest over these.
class StageDeal {
 public:
  StageDeal(const ModelShape& shape, StageCut cut) : StageDeal(shape.blocks(), cut.stages) {
    modules_ = shape.mtp_layers;
    if (cut.last_layers > 0 && cut.stages > 1) keep_for_last(shape.blocks(), cut);
    if (cut.last_layers > 0 || shape.mtp_layers == 0) return;
    const StageDeal slots(shape.blocks() + shape.mtp_layers, cut.stages);
    const std::int64_t left = slots.layers(cut.stages - 1) - shape.mtp_layers;
    if (left < shape.mtp_layers) return;
    *this = slots;
    last_ = left;
    modules_ = shape.mtp_layers;
  }

  std::int64_t layers(std::int64_t stage) const {
    if (stage + 1 == stages_) return last_;
    return even_ + (stage < more_ ? 1 : 0);
  }
  /// Layers of the stages before.
  std::int64_t before(std::int64_t stage) const { return stage * even_ + std::min(stage, more_); }
  /// Layers of one of the chunks (virtual stages) that a stage is cut into: as even as those of stages. What
  /// the last stage holds less because of its output matrices is missing where these are, in its last chunk,
  /// if that still holds the modules.
  std::int64_t layers_of_chunk(std::int64_t stage, std::int64_t chunk, std::int64_t chunks) const {
    const std::int64_t held = layers(stage);
    const std::int64_t full = (most() + chunks - 1) / chunks;
    const std::int64_t left = held - full * (chunks - 1);
    if (modules_ > 0 && stage + 1 == stages_ && left >= modules_) return chunk + 1 == chunks ? left : full;
    return held / chunks + (chunk < held % chunks ? 1 : 0);
  }
  /// Of the fullest stage, which is the first.
  std::int64_t most() const { return layers(0); }
  /// The stage in which the first so many layers end; the last where all do.
  std::int64_t stage_after(std::int64_t count) const {
    const std::int64_t in_fuller = more_ * (even_ + 1);
    const std::int64_t stage = count < in_fuller ? count / (even_ + 1)
                               : even_ > 0       ? more_ + (count - in_fuller) / even_
                                                 : more_;
    return std::min(stage, stages_ - 1);
  }
  /// How many of the first stages take a layer more than those behind them.
  std::int64_t longer() const { return more_; }
  /// How many of the first stages are as full as the fullest.
  std::int64_t fullest() const {
    const std::int64_t first = more_ > 0 ? more_ : stages_;
    return last_ < most() ? std::min(first, stages_ - 1) : first;
  }

 private:
  StageDeal(std::int64_t layers, std::int64_t stages)
      : stages_(stages), more_(layers % stages), even_(layers / stages), last_(even_) {}

  void keep_for_last(std::int64_t layers, StageCut cut) {
    last_ = cut.last_layers;
    more_ = (layers - last_) % (stages_ - 1);
    even_ = (layers - last_) / (stages_ - 1);
  }

  std::int64_t stages_;
  std::int64_t more_;  // the first stages, which hold a layer more than `even_`
  std::int64_t even_;
  std::int64_t last_;
  std::int64_t modules_ = 0;  // of multi-token prediction
};

/// Layers of the fullest pipeline stage.
inline std::int64_t layers_of_stage(const ModelShape& shape, StageCut cut) {
  return StageDeal(shape, cut).most();
}

/// The most layers that the last of so many stages can keep without the others having fewer.
inline std::int64_t most_of_last(const ModelShape& shape, std::int64_t stages) {
  return shape.blocks() / stages;
}

}  // namespace trainyard
