#include "report/page/step_timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/data/step_words.h"
#include "step/graph.h"
#include "step/timeline.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// What a browser draws without waiting; more stages of a step are left out.
constexpr std::size_t kMostDrawn = 120000;
constexpr std::size_t kMostStages = 16;

/// The operations of some stages as rows of numbers; step.js draws them.
class TimelineRows {
 public:
  explicit TimelineRows(const StepSimulation& step) : step_(step), graph_(step.detail->model.graph) {
    const auto& stages = step.timeline.stages;
    const std::size_t each = std::max<std::size_t>(1, graph_.size() / stages.size());
    shown_ = evenly_chosen(stages.size(), std::clamp<std::size_t>(kMostDrawn / each, 2, kMostStages));
    add_busy();
    for (const std::size_t i : shown_) add_stage(static_cast<std::int32_t>(i));
  }

  std::string json() const {
    nlohmann::json out;
    out["end"] = microseconds(step_.detail->execution.end);
    out["kinds"] = nlohmann::json::array();
    for (std::size_t i = 0; i < kStepWorks; ++i) {
      std::string name(step_work_name(static_cast<StepWork>(i)));
      std::replace(name.begin(), name.end(), '_', ' ');
      out["kinds"].push_back(name);
    }
    out["rows"] = rows_;
    out["operations"] = operations_;
    return out.dump();  // of our own names: nothing in it closes a script element
  }

  std::string sentence() const {
    const std::size_t all = step_.timeline.stages.size();
    std::string out =
        shown_.size() == all ? "All stages." : fmt::format("{} of {}.", shown_.size(), counted(all, "stage"));
    if (left_out_ > 0)
      out += fmt::format(" The last {} of long rows are left out.",
                         counted(show_count(static_cast<std::int64_t>(left_out_)), "operation"));
    return out;
  }

 private:
  static double microseconds(StepTime time) { return static_cast<double>(time) / 1e6; }

  void add_stage(std::int32_t i) {
    const std::int32_t replica = i / step_.detail->model.shape.stages;
    const std::int32_t stage = i % step_.detail->model.shape.stages;
    const std::string name =
        "stage " + stage_label(step_, step_.timeline.stages[static_cast<std::size_t>(i)]);
    for (std::uint32_t s = 0; s < graph_.streams().size(); ++s) {
      const StepStream& stream = graph_.streams()[s];
      const bool own = stream.replica == replica || stream.replica == kSharedReplica;
      if (stream.stage != stage || !own || graph_.on_stream(s).empty()) continue;
      add_row(s, name);
    }
    add_memory(step_.timeline.stages[static_cast<std::size_t>(i)], name);
  }

  /// What devices do on the average, of what they could.
  void add_busy() {
    const StepTimeline& t = step_.timeline;
    const double span =
        static_cast<double>(step_.detail->execution.end) / static_cast<double>(t.busy_in_time.size());
    for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
      const auto [name, mean] = named_shares(t.busy)[kind];
      if (mean <= 0) continue;
      nlohmann::json points = nlohmann::json::array();
      for (std::size_t i = 0; i < t.busy_in_time.size(); ++i) {
        points.push_back(microseconds(static_cast<StepTime>(static_cast<double>(i) * span)));
        points.push_back(named_shares(t.busy_in_time[i])[kind].second);
      }
      rows_.push_back(
          {{"stage", "all devices"}, {"name", name}, {"points", points}, {"most", 1}, {"unit", "share"}});
    }
  }

  /// Memory after each change; the most of several changes where there are too many to draw.
  void add_memory(const StageTimeline& s, const std::string& stage) {
    constexpr std::size_t kMostPoints = 4000;
    const std::size_t together = s.memory.size() / kMostPoints + 1;
    nlohmann::json points = nlohmann::json::array();
    for (std::size_t i = 0; i < s.memory.size(); i += together) {
      Bytes most{0};
      for (std::size_t j = i; j < std::min(i + together, s.memory.size()); ++j)
        most = std::max(most, s.memory[j].bytes);
      points.push_back(s.memory[i].time.si() * 1e6);
      points.push_back(most.si());
    }
    rows_.push_back({{"stage", stage},
                     {"name", "memory"},
                     {"points", points},
                     {"most", step_.timeline.peak_memory.si()},
                     {"unit", "bytes"}});
  }

  void add_row(std::uint32_t stream, const std::string& stage) {
    const auto row = static_cast<double>(rows_.size());
    rows_.push_back({{"stage", stage}, {"name", graph_.streams()[stream].name}});
    std::size_t added = 0;
    const std::size_t most = kMostDrawn / std::max<std::size_t>(1, shown_.size());
    for (const OperationId id : graph_.on_stream(stream)) {
      if (++added > most) {
        ++left_out_;
        continue;
      }
      const StepOperation& op = graph_.operation(id);
      const StepTime start = step_.detail->execution.start[id];
      for (const double v : {row, static_cast<double>(op.work), static_cast<double>(op.microbatch),
                             microseconds(start), microseconds(step_.detail->execution.freed[id] - start)})
        operations_.push_back(v);
    }
  }

  const StepSimulation& step_;
  const StepGraph& graph_;
  std::vector<std::size_t> shown_;
  std::size_t left_out_ = 0;
  nlohmann::json rows_ = nlohmann::json::array();
  std::vector<double> operations_;
};

}  // namespace

DrawnTimeline drawn_timeline(const StepSimulation& step) {
  const TimelineRows rows(step);
  return {rows.json(), rows.sentence()};
}

}  // namespace trainyard
