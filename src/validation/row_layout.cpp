#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "scenario/stage_deal.h"
#include "validation/row_cells.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr WholeRange kZeroStages{0, 3};

/// How the model is cut over the devices.
class LayoutCells : RowCells {
 public:
  explicit LayoutCells(const RowCells& cells) : RowCells(cells) {}

  void read() {
    read_groups();
    read_batch();
  }

 private:
  void read_groups() {
    run_.tensor = whole_or("tp", kRunDevices, 1);
    run_.pipeline = whole_or("pp", kRunLayers, 1);
    run_.context = whole_or("cp", kRunDevices, 1);
    run_.expert = whole_or("ep", kRunDevices, 1);
    run_.expert_tensor = row_.whole("etp", kRunDevices);
    run_.zero_stage = whole_or("zero_stage", kZeroStages, 1);
    run_.zero_group = row_.whole("zero_group", kRunDevices);
    run_.sequence_parallel = row_.flag("sequence_parallel").value_or(false);
    const double model = static_cast<double>(run_.tensor) * static_cast<double>(run_.pipeline) *
                         static_cast<double>(run_.context);
    const double replicas = static_cast<double>(run_.devices) / model;
    run_.data = whole_or("dp", kRunDevices, std::max<std::int64_t>(1, static_cast<std::int64_t>(replicas)));
    if (row_.good()) check_groups(model);
  }

  void check_groups(double model) {
    if (model * static_cast<double>(run_.data) != static_cast<double>(run_.devices)) {
      row_.complain(fmt::format("tp x pp x cp x dp = {} x {} x {} x {} is not devices = {}", run_.tensor,
                                run_.pipeline, run_.context, run_.data, run_.devices));
      return;
    }
    if (run_.pipeline > run_.shape.blocks())
      row_.complain(
          fmt::format("pp = {} stages of {}", run_.pipeline, counted(run_.shape.blocks(), "layer")));
    const bool spread = run_.shape.experts == 0 ? run_.expert == 1 : run_.shape.experts % run_.expert == 0;
    if (!spread)
      row_.complain(fmt::format("ep = {} does not divide experts = {}", run_.expert, run_.shape.experts));
    read_expert_cut();
    const std::int64_t replicas = run_.data * run_.context;
    if (run_.zero_group && replicas % *run_.zero_group != 0)
      row_.complain(fmt::format("zero_group = {} does not divide the {}", *run_.zero_group,
                                counted(replicas, "replica")));
    if (run_.devices > run_.devices_per_hb_domain && !run_.nic_rate)
      assume("a network between HB domains as fast as inside: nic_gbps_per_device is blank");
  }

  /// Experts may be dealt over tensor ranks too (Megatron Core's parallel folding).
  void read_expert_cut() {
    const std::int64_t replicas = run_.data * run_.context;
    const bool mixture = run_.shape.experts > 0;
    if (!mixture && run_.expert_tensor) row_.complain("etp of a model without experts");
    if (!run_.expert_tensor && replicas % run_.expert != 0) {
      if (!mixture || replicas * run_.tensor % run_.expert != 0)
        return row_.complain(fmt::format("ep = {} does not divide dp x cp = {}", run_.expert, replicas));
      run_.expert_tensor = 1;
      assume("whole experts on tensor ranks, etp = 1");
    }
    if (run_.expert_tensor) check_expert_cut(*run_.expert_tensor, replicas);
  }

  void check_expert_cut(std::int64_t cut, std::int64_t replicas) {
    const std::int64_t set = run_.expert * cut;
    if (run_.tensor % cut != 0) {
      row_.complain(fmt::format("etp = {} does not divide tp = {}", cut, run_.tensor));
    } else if (replicas * run_.tensor % set != 0) {
      row_.complain(fmt::format("ep x etp = {} x {} does not divide dp x cp x tp = {} x {}", run_.expert, cut,
                                replicas, run_.tensor));
    } else if (set % run_.tensor != 0 && run_.tensor % set != 0) {
      row_.complain(fmt::format("ep x etp = {} x {} neither divides tp = {} nor is a multiple of it",
                                run_.expert, cut, run_.tensor));
    }
  }

  void read_batch() {
    run_.global_batch = whole_or("global_batch", kRunSequences, 1);
    const auto microbatches = row_.whole("microbatches", kRunSequences);
    read_schedule();
    run_.microbatch = row_.whole("microbatch", kRunSequences).value_or(blank_microbatch(microbatches));
    if (!row_.good()) return;
    const std::int64_t sequences = run_.data * run_.microbatch;
    if (run_.global_batch % sequences != 0) {
      row_.complain(fmt::format("global_batch = {} is no multiple of dp x microbatch = {} x {}",
                                run_.global_batch, run_.data, run_.microbatch));
    } else if (microbatches.value_or(run_.microbatches()) != run_.microbatches()) {
      row_.complain(fmt::format("microbatches = {} is not global_batch / (dp x microbatch) = {} / ({} x {})",
                                *microbatches, run_.global_batch, run_.data, run_.microbatch));
    }
  }

  std::int64_t blank_microbatch(std::optional<std::int64_t> microbatches) {
    if (microbatches) return std::max<std::int64_t>(1, run_.global_batch / run_.data / *microbatches);
    if (row_.text("microbatch").empty()) assume("microbatch 1");
    return 1;
  }

  void read_schedule() {
    const auto stated = row_.choice<RunSchedule>("schedule", schedule_words());
    run_.last_stage_layers = row_.whole("last_stage_layers", kRunLayers);
    if (run_.last_stage_layers) check_last_stage(*run_.last_stage_layers);
    if (!row_.good()) return;
    const std::int64_t stage =
        layers_of_stage(run_.shape, {run_.pipeline, run_.last_stage_layers.value_or(0)});
    const auto virtual_stages = row_.whole("vpp", kRunLayers);
    run_.virtual_stages = virtual_stages.value_or(blank_virtual_stages(stated, stage));
    if (run_.virtual_stages > 1 && run_.pipeline == 1) {
      row_.complain(fmt::format("vpp = {} virtual stages without pipeline stages", run_.virtual_stages));
    } else if (run_.virtual_stages > stage) {
      row_.complain(fmt::format("vpp = {} virtual stages of {} layers a device", run_.virtual_stages, stage));
    } else if (stage % run_.virtual_stages != 0) {
      take_even_chunks(stage);
    }
    run_.schedule = stated.value_or(run_.virtual_stages > 1 ? RunSchedule::interleaved
                                                            : RunSchedule::one_forward_one_backward);
    const bool interleaved = run_.schedule == RunSchedule::interleaved;
    if (interleaved != (run_.virtual_stages > 1) && run_.schedule != RunSchedule::zero_bubble)
      row_.complain(fmt::format("column 'schedule' and vpp = {} contradict each other", run_.virtual_stages),
                    "interleaved takes vpp above 1, the others 1");
  }

  void check_last_stage(std::int64_t layers) {
    const std::int64_t most = most_of_last(run_.shape, run_.pipeline);
    if (run_.pipeline == 1) {
      row_.complain("last_stage_layers without pipeline stages");
    } else if (layers > most) {
      row_.complain(fmt::format("last_stage_layers = {} of {} over pp = {} stages leaves the others fewer",
                                layers, counted(run_.shape.blocks(), "layer"), run_.pipeline),
                    fmt::format("allowed: 1 to {}", most));
    }
  }

  /// Chunks of unequal length stand for the nearest count of equal ones.
  void take_even_chunks(std::int64_t stage) {
    const double wanted = static_cast<double>(run_.virtual_stages);
    const auto away = [&](std::int64_t n) { return std::abs(std::log(static_cast<double>(n) / wanted)); };
    std::int64_t nearest = stage;
    for (std::int64_t n = 2; n < stage; ++n) {
      if (stage % n == 0 && away(n) < away(nearest)) nearest = n;
    }
    run_.virtual_stages = nearest;
    assume(fmt::format("{} virtual stages of equal length", nearest));
  }

  std::int64_t blank_virtual_stages(std::optional<RunSchedule> schedule, std::int64_t stage) {
    if (run_.pipeline == 1 || !row_.text("vpp").empty()) return 1;
    const std::int64_t stages = schedule == RunSchedule::interleaved && stage > 1 ? 2 : 1;
    if (!schedule || stages > 1) assume(fmt::format("{} virtual stage{}", stages, stages > 1 ? "s" : ""));
    return stages;
  }
};

}  // namespace

void read_layout_cells(const RowCells& cells) { LayoutCells(cells).read(); }

}  // namespace trainyard
