#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/drawing/svg.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/plan.h"

namespace trainyard {
namespace {

constexpr double kLeft = 190;
constexpr double kRight = 30;
constexpr double kWidth = 1000;
constexpr double kLane = 34;
constexpr double kLabelRow = 14;  // under a lane whose labels find no room in it
constexpr double kLabelSize = 11.5;
constexpr double kLabelGap = 4;
constexpr double kTop = 64;
constexpr std::string_view kCompute = "#0072B2";
constexpr std::string_view kExposed = "#D55E00";
constexpr std::string_view kHidden = "#009E73";
// Stages of the exchange follow each other by one small chunk.
constexpr double kChunkShare = 0.02;

struct Bar {
  std::size_t lane;
  Seconds from;
  Seconds length;
  std::string_view colour;
  std::string label;
};

/// A stretch of a row on paper.
struct Stretch {
  double left;
  double right;
  bool meets(const Stretch& other) const { return left < other.right && other.left < right; }
};

/// A row of labels that do not stand on each other.
class LabelRow {
 public:
  bool free(const Stretch& wished) const {
    return wished.left >= kLeft && wished.right <= kWidth - kLabelGap &&
           std::none_of(taken_.begin(), taken_.end(), [&](const Stretch& s) { return s.meets(wished); });
  }
  void take(const Stretch& stretch) { taken_.push_back(stretch); }

 private:
  std::vector<Stretch> taken_;
};

/// Of a bar: the row of its lane (0: the bars' own) and the left end.
struct LabelPlace {
  std::size_t row;
  double left;
  std::string_view css;
};

/// Bars in lanes.
class LayerPicture {
 public:
  explicit LayerPicture(const Plan& plan) : plan_(plan), step_(plan.step), c_(plan.communication) {
    lane("compute");
    const Seconds backward_from = forward_pass();
    const Seconds backward_to = backward_pass(backward_from);
    gradients(backward_from, backward_to);
  }

  std::string paint() {
    place_labels();
    const double bottom = lane_top(lanes_.size());
    Svg svg(kWidth, bottom + 60, "Forward and backward pass of a layer");
    svg.text(10, 24,
             fmt::format("One layer and microbatch on one device, to scale: {} of computation, {} exposed",
                         show(step_.forward + step_.backward), show(step_.exposed)),
             {.size = 15, .bold = true});
    paint_legend(svg);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      svg.text(kLeft - 10, lane_top(i) + kLane / 2 + 4, lanes_[i], {.size = 12, .anchor = "end"});
      svg.line(kLeft, lane_top(i + 1), kWidth - kRight, lane_top(i + 1), "class=\"grid\"");
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) paint_bar(svg, bars_[i], places_[i]);
    paint_axis(svg, bottom);
    return std::move(svg).finish();
  }

 private:
  static std::string show(Seconds t) { return format_quantity(t.si(), Unit::seconds); }

  std::size_t lane(const std::string& name) {
    const auto found = std::find(lanes_.begin(), lanes_.end(), name);
    if (found != lanes_.end()) return static_cast<std::size_t>(found - lanes_.begin());
    lanes_.push_back(name);
    return lanes_.size() - 1;
  }

  /// Draws a bar and returns where it ends.
  Seconds bar(const std::string& in, Seconds from, Seconds length, std::string_view colour,
              const std::string& what) {
    if (length.si() <= 0) return from;
    bars_.push_back({lane(in), from, length, colour, what + " " + show(length)});
    end_ = std::max(end_, from + length);
    return from + length;
  }

  Seconds forward_pass() {
    const Seconds end = bar("compute", Seconds(0), step_.forward, kCompute, "forward");
    return transfers(Seconds(0), end, {c_.tensor_forward, c_.context_forward, c_.expert_forward});
  }

  Seconds backward_pass(Seconds from) {
    const Seconds end = bar("compute", from, step_.backward, kCompute, "backward");
    transfers(from, end, {c_.tensor_backward, c_.context_backward, c_.expert_backward});
    return end;
  }

  /// Of a pass.
  struct Transfers {
    Seconds tensor;
    Seconds context;  // what its attention does not hide
    Seconds expert;
  };

  /// Beside the pass's compute what is hidden, behind it the rest, one kind after another. Returns the end.
  Seconds transfers(Seconds from, Seconds compute_end, const Transfers& all) {
    const double tensor = share(step_.exposed_tensor, c_.tensor_forward + c_.tensor_backward);
    const double context = share(step_.exposed_context, c_.context_forward + c_.context_backward);
    const double expert = share(step_.exposed_expert, c_.expert_forward + c_.expert_backward);
    const Seconds beside = bar("scale-up network", from, all.tensor * (1 - tensor), kHidden, "TP/SP");
    bar(expert_lane(), beside, all.expert * (1 - expert), kHidden, "experts");
    Seconds at = bar("scale-up network", compute_end, all.tensor * tensor, kExposed, "TP/SP");
    at = bar(context_lane(), at, all.context * context, kExposed, "CP");
    at = bar(expert_lane(), at, all.expert * expert, kExposed, "experts");
    return bar(pipeline_lane(), at, step_.exposed_pipeline / 2.0, kExposed, "PP");
  }

  static double share(Seconds exposed, Seconds all) {
    return all.si() > 0 ? std::min(1.0, exposed / all) : 1;
  }

  /// Hidden up to the end of the backward pass, exposed beyond it.
  void gradients(Seconds from, Seconds to) {
    const Seconds chunk = step_.backward * kChunkShare;
    int index = 0;
    for (const GradientStage& stage : c_.gradient.stages) {
      const Seconds start = from + chunk * static_cast<double>(index);
      const std::string name = fmt::format("gradients {}: {}", ++index, network_name(stage.network));
      const Seconds hidden = std::min(stage.time, std::max(Seconds(0), to - start));
      if (stage.time.si() <= 0) continue;
      const Seconds end = bar(name, start, hidden, kHidden, stage_label(stage));
      bar(name, end, stage.time - hidden, kExposed, "beyond");
    }
  }

  static std::string stage_label(const GradientStage& stage) {
    return stage.name.substr(0, stage.name.find(' '));
  }
  static std::string network_name(NetworkLevel network) {
    return network == NetworkLevel::scale_up    ? "scale-up"
           : network == NetworkLevel::scale_out ? "scale-out"
                                                : "wide area";
  }
  std::string pipeline_lane() const {
    return c_.pipeline_in_domain ? "scale-up network" : "scale-out network";
  }
  std::string context_lane() const {
    return plan_.mapping.domains_per_group == 1 ? "scale-up network" : "scale-out network";
  }
  std::string expert_lane() const {
    return plan_.mapping.expert_domains() == 1 ? "scale-up network" : "scale-out network";
  }

  double x_of(Seconds t) const { return kLeft + (kWidth - kLeft - kRight) * (t / end_); }

  Stretch stretch_of(const Bar& bar) const {
    const double x = x_of(bar.from);
    return {x, x + std::max(0.75, x_of(bar.from + bar.length) - x)};
  }

  /// In its bar, beside it, or in a row under its lane.
  void place_labels() {
    rows_.assign(lanes_.size(), {LabelRow{}});
    for (const Bar& bar : bars_) rows_[bar.lane].front().take(stretch_of(bar));
    for (const Bar& bar : bars_) places_.push_back(place_label(bar, rows_[bar.lane]));
  }

  LabelPlace place_label(const Bar& bar, std::vector<LabelRow>& rows) const {
    const Stretch on = stretch_of(bar);
    const double wide = text_width(bar.label, kLabelSize);
    if (wide <= on.right - on.left) return {0, (on.left + on.right - wide) / 2, "white"};
    const double before = on.left - kLabelGap - wide;
    const double behind = on.right + kLabelGap;
    const bool ends_late = bar.lane > 0 && bar.colour == kExposed;
    for (const double left : {ends_late ? before : behind, ends_late ? behind : before}) {
      if (!rows.front().free({left, left + wide})) continue;
      rows.front().take({left - kLabelGap, left + wide + kLabelGap});
      return {0, left, "ink"};
    }
    const double left =
        std::clamp((on.left + on.right - wide) / 2, kLeft, std::max(kLeft, kWidth - kLabelGap - wide));
    std::size_t row = 1;
    while (row < rows.size() && !rows[row].free({left, left + wide})) ++row;
    if (row == rows.size()) rows.emplace_back();
    rows[row].take({left - kLabelGap, left + wide + kLabelGap});
    return {row, left, "ink"};
  }

  double lane_top(std::size_t lane) const {
    double y = kTop;
    for (std::size_t i = 0; i < lane; ++i) y += kLane + kLabelRow * static_cast<double>(rows_[i].size() - 1);
    return y;
  }

  void paint_bar(Svg& svg, const Bar& bar, const LabelPlace& label) const {
    const Stretch on = stretch_of(bar);
    const double y = lane_top(bar.lane);
    svg.rect_with_title(on.left, y + 5, on.right - on.left, kLane - 10, bar.colour, bar.label);
    const double base =
        label.row == 0 ? kLane / 2 + 4 : kLane + kLabelRow * static_cast<double>(label.row) - 5;
    svg.text(label.left, y + base, bar.label, {.size = kLabelSize, .css = label.css});
  }

  void paint_axis(Svg& svg, double y) const {
    constexpr int kTicks = 6;
    svg.line(kLeft, y, kWidth - kRight, y, "class=\"axis\"");
    for (int i = 0; i <= kTicks; ++i) {
      const Seconds t = end_ * (static_cast<double>(i) / kTicks);
      svg.line(x_of(t), y, x_of(t), y + 5, "class=\"axis\"");
      svg.text(x_of(t), y + 20, show(t), {.size = 11, .anchor = "middle", .css = "soft"});
    }
  }

  static void paint_legend(Svg& svg) {
    const std::pair<std::string_view, const char*> entries[] = {
        {kCompute, "computation"}, {kHidden, "transfer behind it"}, {kExposed, "exposed transfer"}};
    double x = kLeft;
    for (const auto& [colour, name] : entries) {
      svg.rect(x, 38, 12, 12, colour);
      svg.text(x + 18, 48, name, {.size = 11.5, .css = "soft"});
      x += 150;
    }
  }

  const Plan& plan_;
  const StepPlan& step_;
  const CommunicationPlan& c_;
  std::vector<std::string> lanes_;
  std::vector<Bar> bars_;
  std::vector<std::vector<LabelRow>> rows_;  // of every lane: its own, and those under it
  std::vector<LabelPlace> places_;           // of every bar's label
  Seconds end_{1e-12};
};

}  // namespace

std::string layer_svg(const Plan& plan) { return LayerPicture(plan).paint(); }

}  // namespace trainyard
