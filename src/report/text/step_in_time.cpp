#include "report/text/step_in_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "report/data/show.h"
#include "report/data/step_words.h"
#include "step/timeline.h"
#include "trainyard/errors.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

constexpr std::size_t kColumns = 64;  // with the names of stages 80, as terminals have

/// Tenths, a digit each: 9 for more than 0.9, a dot for nothing.
std::string digits(const std::vector<double>& shares) {
  std::string out;
  for (const double s : shares)
    out += s <= 0 ? '.' : static_cast<char>('0' + std::clamp(static_cast<int>(s * 10), 0, 9));
  return out;
}

/// Means of so many equal parts of the step.
std::vector<double> means(const std::vector<double>& spans) {
  std::vector<double> out(kColumns);
  const double width = static_cast<double>(spans.size()) / kColumns;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const double from = static_cast<double>(c) * width;
    for (auto i = static_cast<std::size_t>(from); i < spans.size(); ++i) {
      const auto at = static_cast<double>(i);
      const double inside = std::min(at + 1, from + width) - std::max(at, from);
      if (inside <= 0) break;
      out[c] += spans[i] * inside / width;
    }
  }
  return out;
}

/// The most of each of so many equal parts of the step, as shares of `whole`.
std::vector<double> most_memory(const StageTimeline& s, Seconds total, Bytes whole) {
  std::vector<double> out(kColumns);
  std::size_t next = 0;
  Bytes now = s.states;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const Seconds until = total * (static_cast<double>(c + 1) / kColumns);
    Bytes most = now;
    for (; next < s.memory.size() && s.memory[next].time < until; ++next) {
      now = s.memory[next].bytes;
      most = std::max(most, now);
    }
    out[c] = most / whole;
  }
  return out;
}

constexpr std::string_view kLetters = "FBWHO.";

char letter(StepWork work) {
  switch (work) {
    case StepWork::forward:
      return 'F';
    case StepWork::backward:
    case StepWork::recompute:
      return 'B';
    case StepWork::backward_weight:
      return 'W';
    case StepWork::head:
      return 'H';
    default:
      return 'O';
  }
}

/// What a stream does most of the time in each column.
std::string stage_line(const StepSimulation& step, std::uint32_t stream) {
  std::vector<std::array<double, kLetters.size()>> busy(kColumns);
  const double column = static_cast<double>(step.detail->execution.end) / kColumns;
  for (const OperationId id : step.detail->model.graph.on_stream(stream)) {
    const double start = static_cast<double>(step.detail->execution.start[id]) / column;
    const double end = static_cast<double>(step.detail->execution.finish[id]) / column;
    const std::size_t which = kLetters.find(letter(step.detail->model.graph.operation(id).work));
    for (auto c = static_cast<std::size_t>(start); c < kColumns && static_cast<double>(c) < end; ++c) {
      const auto at = static_cast<double>(c);
      busy[c][which] += std::min(end, at + 1) - std::max(start, at);
    }
  }
  std::string out;
  for (auto& shares : busy) {
    double rest = 1;
    for (const double s : shares) rest -= s;
    shares.back() = rest;
    out +=
        kLetters[static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin())];
  }
  return out;
}

}  // namespace

std::vector<std::size_t> shown_stages(const StepSimulation& step, std::size_t most) {
  constexpr std::size_t kShownFailed = 4;
  const std::size_t stages = step.timeline.stages.size();
  const std::vector<std::size_t> ends = evenly_chosen(stages, most);
  std::set<std::size_t> out(ends.begin(), ends.end());
  std::size_t failed = 0;
  for (std::size_t i = 0; i < stages && failed < kShownFailed && !step.detail->model.failures.none(); ++i) {
    if (step.timeline.stages[i].fails && out.insert(i).second) ++failed;
  }
  return {out.begin(), out.end()};
}

std::string stage_lines(const StepSimulation& step, const std::vector<std::size_t>& stages) {
  std::string out;
  const std::size_t width = step.detail->model.replicas.size() > 1 ? 12 : 6;
  for (const std::size_t i : stages) {
    const auto replica = static_cast<std::int32_t>(i) / step.detail->model.shape.stages;
    const auto stage = static_cast<std::int32_t>(i) % step.detail->model.shape.stages;
    out += fmt::format("   {:<{}}{}\n", stage_label(step, step.timeline.stages[i]), width,
                       stage_line(step, step.detail->model.compute_stream(replica, stage)));
  }
  return out + "   F forward  B backward  W weight gradients  H head  O optimizer  . waiting\n";
}

std::string over_time_section(const StepSimulation& step) {
  const StepTimeline& t = step.timeline;
  std::string out = "   busy in the course of the step, in tenths\n";
  for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
    if (named_shares(t.busy)[kind].second <= 0) continue;
    std::vector<double> spans;
    for (const BusyShares& s : t.busy_in_time) spans.push_back(named_shares(s)[kind].second);
    out += fmt::format("   {:<10}{}\n", named_shares(t.busy)[kind].first, digits(means(spans)));
  }
  constexpr std::size_t kStages = 4;
  out += fmt::format("   memory of a device, in tenths of {}\n", show(t.peak_memory));
  for (const std::size_t i : shown_stages(step, kStages)) {
    const StageTimeline& s = t.stages[i];
    out += fmt::format("   {:<10}{}\n", "stage " + stage_label(step, s),
                       digits(most_memory(s, t.total, t.peak_memory)));
  }
  return out;
}

}  // namespace trainyard
