// When a training run reaches its target, in closed form (docs/models.md, "Days to the target").
#include <algorithm>
#include <cmath>

#include "goodput/spread_of_runs.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

/// Useful seconds by a time since training began.
struct UsefulBy {
  double time_s = 0;
  double useful_s = 0;
  GoodputForm form;
};

UsefulBy useful_by(GoodputCase& c, double time_s) {
  c.period = Seconds(time_s);
  UsefulBy out{.time_s = time_s, .form = goodput_form(c)};
  out.useful_s = time_s * out.form.ettr;
  return out;
}

constexpr double kExact = 1e-9;  // of the target

/// The time between two at which the target is reached: by secants, the end that stays counts half (Illinois,
/// Dowell and Jarratt 1971).
UsefulBy reach(GoodputCase& c, double target_s, UsefulBy low, UsefulBy high) {
  constexpr int kMostSteps = 60;
  double below = low.useful_s - target_s;
  double above = high.useful_s - target_s;
  int moved = 0;  // the end that moved last: below or above
  for (int i = 0; i < kMostSteps && high.useful_s - target_s > kExact * target_s; ++i) {
    const double time_s = high.time_s - above * (high.time_s - low.time_s) / (above - below);
    if (time_s <= low.time_s || time_s >= high.time_s) break;
    const UsefulBy middle = useful_by(c, time_s);
    const double off = middle.useful_s - target_s;
    const int side = off < -kExact * target_s ? -1 : 1;
    if (side < 0) {
      low = middle;
      below = off;
      if (moved == side) above /= 2;
    } else {
      high = middle;
      above = off;
      if (moved == side) below /= 2;
    }
    moved = side;
  }
  return high;
}

/// From the time of the mean work: runs that wait for servers lose more than those that do not can win.
void add_mean_time(TrainingForm& out, GoodputCase& c, double longest_s) {
  constexpr double kSomeLack = 1e-5;
  constexpr double kFarApart = 0.01;  // below it failures alone scatter the runs as much
  out.time = out.of_mean_work;
  if (out.form.served_share > 1 - kSomeLack) return;
  c.period = out.of_mean_work;
  const SpreadOfRuns spread = spread_of_runs(c, out.of_mean_work.si() * out.form.served_share);
  if (!(spread.mean >= 1)) return;  // of times beyond what numbers hold
  out.endless = out.of_mean_work.si() * spread.mean > longest_s;
  if (out.endless) return;
  out.time = out.of_mean_work * spread.mean;
  if (std::isfinite(spread.deviation) && spread.deviation > kFarApart * spread.mean)
    out.deviation = out.of_mean_work * spread.deviation;
}

}  // namespace

TrainingForm training_form(GoodputCase c, Seconds ideal) {
  constexpr double kBeyond = 1.001;  // of a step to the target, so that it ends beyond
  constexpr double kMostGrowth = 4;
  const double target_s = ideal.si();
  const double longest_s = target_s / kLeastUseful;
  UsefulBy low;
  UsefulBy high = useful_by(c, target_s);
  while (high.useful_s < target_s * (1 - kExact) && high.time_s < longest_s) {
    const double share = (high.useful_s - low.useful_s) / (high.time_s - low.time_s);
    const double missing = target_s - high.useful_s;
    const double more =
        share * high.time_s * kMostGrowth > missing ? missing / share * kBeyond : high.time_s * kMostGrowth;
    low = high;
    high = useful_by(c, std::min(longest_s, high.time_s + more));
  }
  TrainingForm out;
  if (high.useful_s >= target_s * (1 - kExact)) {
    high = reach(c, target_s, low, high);
    out.of_mean_work = Seconds(high.time_s);
    out.form = high.form;
    add_mean_time(out, c, longest_s);
    out.useful = target_s / out.time->si();
  } else {
    out.form = high.form;
    out.useful = high.form.long_run_ettr;
  }
  return out;
}

}  // namespace trainyard
