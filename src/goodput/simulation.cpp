// A run of months as events: failures, repairs, findings. Between events training advances in closed form, so
// that a run costs time by its failures and not by its checkpoints.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/errors.h"
#include "base/mixing.h"
#include "base/threads.h"
#include "goodput/goodput_parts.h"
#include "trainyard/errors.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr double kMostEventsOfRun = 1e6;
constexpr double kMostEvents = 1e9;
constexpr double kMargin = 4;  // events over the mean number of failures, which no run passes

std::int64_t nanoseconds(double s) {
  constexpr double kMost = 9e18;
  const double ns = s * kNanoseconds;
  return ns < kMost ? static_cast<std::int64_t>(ns) : kNever / 2;
}

/// What a random number is for, beside the time of a failure.
enum class Draw : std::uint64_t { kept = 1, found, repaired };

/// What happens later because of a failure.
enum class Later : std::uint8_t { hosts_back, speed_back, straggler_found, corruption_found };

struct Event {
  std::int64_t at = 0;
  Later what = Later::hosts_back;
  std::uint32_t mode = 0;
  std::uint64_t tag = 0;  // its failure's random number
};

struct LaterLast {
  bool operator()(const Event& a, const Event& b) const { return a.at > b.at; }
};

struct Repair {
  std::int64_t takes = 0;
  std::uint32_t mode = 0;
};

/// Times of a case in nanoseconds.
struct CaseTimes {
  std::int64_t period, interval, stall, delay, cycle, backup, detection, hang, manual, swap, restart;
};

CaseTimes times_of(const GoodputCase& c, Seconds interval) {
  CaseTimes t{};
  t.period = nanoseconds(c.period.si());
  t.interval = std::max<std::int64_t>(1, nanoseconds(interval.si()));
  t.stall = nanoseconds(c.stall.si());
  t.cycle = t.interval + t.stall;
  // A checkpoint is safe before the next one begins: goodput_form() keeps the interval that long.
  t.delay = std::clamp<std::int64_t>(nanoseconds((c.write - c.stall).si()), 0, t.interval);
  t.backup = t.interval > kNever / 2 / c.backup_every ? kNever / 2 : t.interval * c.backup_every;
  t.detection = nanoseconds(c.detection.si());
  t.hang = nanoseconds(c.hang_detection.si());
  t.manual = nanoseconds(c.manual_time.si());
  t.swap = nanoseconds(c.swap.si());
  t.restart = nanoseconds((c.restart + c.read).si());
  return t;
}

class Run {
 public:
  Run(const GoodputCase& c, Seconds interval, std::int64_t run, std::vector<TimelinePiece>* timeline)
      : c_(c), t_(times_of(c, interval)), timeline_(timeline), bound_(most_hazard(c)) {
    const std::uint64_t key =
        mixed(mixed(static_cast<std::uint64_t>(c.seed), static_cast<std::uint64_t>(run)), 0);
    const std::size_t modes = c.modes.size();
    streams_.resize(modes);
    next_.resize(modes);
    slow_.assign(modes, 0);
    for (std::size_t m = 0; m < modes; ++m) {
      streams_[m].key = mixed(key, m + 1);
      const double rate = c.modes[m].rate_per_s * (c.modes[m].ages ? bound_ : 1);
      streams_[m].mean_ns = rate > 0 ? kNanoseconds / rate : 0;
      next_[m] = rate > 0 ? next_time(m, 0) : kNever;
    }
    out_.period_ns = t_.period;
  }

  RunOutcome simulate() {
    while (now_ < t_.period) {
      const auto first = std::min_element(next_.begin(), next_.end());
      const std::int64_t failure = first == next_.end() ? kNever : *first;
      const std::int64_t later = events_.empty() ? kNever : events_.front().at;
      const std::int64_t until = std::min({failure, later, t_.period});
      advance(until);
      if (until == t_.period) break;
      if (static_cast<double>(++out_.events) > kMostEventsOfRun) return cut_short();
      if (later <= failure) {
        take_event();
      } else {
        take_failure(static_cast<std::size_t>(first - next_.begin()));
      }
    }
    out_.useful_ns = work_;
    return out_;
  }

 private:
  struct Stream {
    std::uint64_t key = 0;
    std::uint64_t drawn = 0;
    double mean_ns = 0;
  };

  /// The rest counts as waiting, and the result says so.
  RunOutcome cut_short() {
    out_.cut = true;
    out_.waiting_ns += t_.period - now_;
    out_.useful_ns = work_;
    return out_;
  }

  std::int64_t next_time(std::size_t mode, std::int64_t from) {
    Stream& s = streams_[mode];
    const double wait = -std::log(uniform_share(mixed(s.key + ++s.drawn))) * s.mean_ns;
    return wait < static_cast<double>(t_.period - from) ? from + static_cast<std::int64_t>(wait) + 1 : kNever;
  }

  /// Trains, recovers or waits until then.
  void advance(std::int64_t until) {
    if (now_ < recovered_) {
      const std::int64_t end = std::min(recovered_, until);
      out_.down_ns[index(down_cause_)] += end - now_;
      note(end, RunState::down, down_cause_);
      now_ = end;
      if (now_ == until) return;
    }
    if (now_ == until) return;
    if (served_ <= 0) {
      out_.waiting_ns += until - now_;
      note(until, RunState::waiting, FailureCause::gpu);
    } else {
      train(until - now_);
      note(until, slowdown_ > 0 ? RunState::slow : RunState::training, slow_cause_);
    }
    now_ = until;
  }

  void train(std::int64_t span) {
    phase_ += span;
    const std::int64_t cycles = phase_ / t_.cycle;
    const std::int64_t into = phase_ - cycles * t_.cycle;
    const std::int64_t before = trained_;
    trained_ = cycles * t_.interval + std::min(into, t_.interval);
    const double speed = served_ / (1 + slowdown_);
    save(before, cycles + (into >= t_.interval ? 1 : 0), cycles - (into < t_.delay ? 1 : 0), speed);
    const std::int64_t time = trained_ - before;
    const std::int64_t work = scaled(time, speed);
    const std::int64_t shrunk = std::min(time - work, scaled(time, 1 - served_));
    work_ += work;
    out_.checkpoint_ns += span - time;
    out_.shrunk_ns += shrunk;
    out_.slow_ns[index(slow_cause_)] += time - work - shrunk;
  }

  static std::int64_t scaled(std::int64_t time, double share) {
    if (share >= 1) return time;
    return std::min(time, static_cast<std::int64_t>(static_cast<double>(time) * share));
  }

  /// So many checkpoints are taken, and safe, since training began anew: of the work of their moment.
  void save(std::int64_t before, std::int64_t taken, std::int64_t safe, double speed) {
    const auto work_at = [&](std::int64_t count) {
      return work_ + scaled(count * t_.interval - before, speed);
    };
    if (safe > safe_count_) {
      // A checkpoint of an earlier span is the last that was taken there.
      secure(safe == taken_count_ ? taken_work_ : work_at(safe));
      safe_count_ = safe;
    }
    if (taken > taken_count_) {
      taken_work_ = work_at(taken);
      taken_count_ = taken;
    }
  }

  void secure(std::int64_t work) {
    saved_ = work;
    if (c_.outlives_all) {
      backup_ = saved_;
    } else if (saved_ - backup_ >= t_.backup) {
      backup_ += (saved_ - backup_) / t_.backup * t_.backup;
    }
  }

  void restore(std::int64_t work, FailureCause cause) {
    out_.rework_ns[index(cause)] += work_ - work;
    work_ = saved_ = work;
    backup_ = std::min(backup_, work);
    if (corrupt_ && work <= clean_) corrupt_ = false;
    phase_ = trained_ = safe_count_ = taken_count_ = 0;
  }

  void recover(std::int64_t takes, FailureCause cause) {
    if (now_ + takes <= recovered_) return;
    recovered_ = now_ + takes;
    down_cause_ = cause;
  }

  std::int64_t found_after(std::uint64_t hash) const {
    constexpr double kHalf = 0x1p-32;
    const double hangs = static_cast<double>(hash >> 32U) * kHalf;
    const double by_hand = static_cast<double>(hash & 0xFFFFFFFFU) * kHalf;
    return (hangs < c_.hang_share ? t_.hang : t_.detection) + (by_hand < c_.manual_share ? t_.manual : 0);
  }

  void take_failure(std::size_t m) {
    const std::uint64_t tag = number_of(m);
    const FailureMode& mode = c_.modes[m];
    next_[m] = next_time(m, now_);
    if (mode.ages && bound_ > 1 &&
        uniform_share(mixed(tag, static_cast<std::uint64_t>(Draw::kept))) * bound_ > hazard_at(c_, age_now()))
      return;
    ++out_.failures[index(mode.cause)];
    const auto m32 = static_cast<std::uint32_t>(m);
    if (mode.cause == FailureCause::silent) return corrupt(m32, tag);
    if (mode.cause == FailureCause::straggler) {
      change_speed(m, +1);
      return push({now_ + nanoseconds(mode.lasts.si()), Later::straggler_found, m32, tag});
    }
    if (mode.slowdown > 0) {
      change_speed(m, +1);
      push({now_ + repair_time(mode, tag), Later::speed_back, m32, tag});
    }
    const std::int64_t swap = mode.hosts > 0 ? take_hosts(m32, tag) : 0;
    if (mode.stops) stop(mode, tag, swap);
  }

  void stop(const FailureMode& mode, std::uint64_t tag, std::int64_t swap) {
    if (mode.cause == FailureCause::planned) {
      restore(saved_ = work_, mode.cause);
      return recover(t_.restart, mode.cause);
    }
    ++out_.interruptions;
    restore(mode.keeps ? saved_ : backup_, mode.cause);
    const std::int64_t found = found_after(mixed(tag, static_cast<std::uint64_t>(Draw::found)));
    recover(found + swap + t_.restart, mode.cause);
  }

  /// Until it is found, nothing shows. What comes beside it is found with it.
  void corrupt(std::uint32_t m, std::uint64_t tag) {
    if (corrupt_) return;
    corrupt_ = true;
    clean_ = saved_;
    corrupted_by_ = tag;
    const double wait = -std::log(uniform_share(mixed(tag, static_cast<std::uint64_t>(Draw::repaired)))) *
                        c_.modes[m].lasts.si();
    push({now_ + nanoseconds(wait), Later::corruption_found, m, tag});
  }

  void take_event() {
    const Event event = events_.front();
    std::pop_heap(events_.begin(), events_.end(), LaterLast{});
    events_.pop_back();
    const FailureMode& mode = c_.modes[event.mode];
    switch (event.what) {
      case Later::hosts_back:
        return bring_back(mode);
      case Later::speed_back:
        return change_speed(event.mode, -1);
      case Later::straggler_found:
        change_speed(event.mode, -1);
        return evict(event, work_);
      case Later::corruption_found:
        if (!corrupt_ || corrupted_by_ != event.tag) return;
        corrupt_ = false;
        return evict(event, std::min(saved_, clean_));
    }
  }

  /// A server is taken out, and training goes on from this work.
  void evict(const Event& event, std::int64_t work) {
    const FailureCause cause = c_.modes[event.mode].cause;
    const std::int64_t swap = take_hosts(event.mode, event.tag);
    ++out_.interruptions;
    restore(work, cause);
    recover(swap + t_.restart, cause);
  }

  std::int64_t repair_time(const FailureMode& mode, std::uint64_t tag) const {
    const bool found = mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler;
    const double mean = (found ? c_.repair : mode.lasts).si();
    return nanoseconds(-std::log(uniform_share(mixed(~tag, static_cast<std::uint64_t>(Draw::repaired)))) *
                       mean);
  }

  /// Time of the swap: none where every spare is in use already, and so none can be swapped in.
  std::int64_t take_hosts(std::uint32_t m, std::uint64_t tag) {
    const FailureMode& mode = c_.modes[m];
    const std::int64_t swap = gone_ < c_.spares ? t_.swap : 0;
    gone_ += mode.hosts;
    serve();
    const Repair repair{repair_time(mode, tag), m};
    if (mode.by_crew && c_.crews > 0 && busy_ == c_.crews) {
      queue_.push_back(repair);
    } else {
      begin(repair);
    }
    return swap;
  }

  void begin(const Repair& repair) {
    if (c_.modes[repair.mode].by_crew) ++busy_;
    push({now_ + repair.takes, Later::hosts_back, repair.mode, 0});
  }

  void bring_back(const FailureMode& mode) {
    gone_ -= mode.hosts;
    serve();
    if (!mode.by_crew) return;
    --busy_;
    if (waiting_repairs() == 0) return;
    begin(queue_[queue_head_++]);
    if (queue_head_ == queue_.size()) {
      queue_.clear();
      queue_head_ = 0;
    }
  }

  std::size_t waiting_repairs() const { return queue_.size() - queue_head_; }

  /// Servers that are there say how many replicas train.
  void serve() { served_ = served_share(c_, gone_); }

  void change_speed(std::size_t m, std::int64_t by) {
    slow_[m] += by;
    slowdown_ = 0;
    for (std::size_t i = 0; i < slow_.size(); ++i) {
      if (slow_[i] == 0 || c_.modes[i].slowdown <= slowdown_) continue;
      slowdown_ = c_.modes[i].slowdown;
      slow_cause_ = c_.modes[i].cause;
    }
  }

  void push(Event event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), LaterLast{});
  }

  void note(std::int64_t to, RunState state, FailureCause cause) {
    if (timeline_ == nullptr || to == now_) return;
    const auto seconds = [](std::int64_t ns) { return Seconds(static_cast<double>(ns) / kNanoseconds); };
    if (!timeline_->empty() && timeline_->back().state == state && timeline_->back().cause == cause) {
      timeline_->back().to = seconds(to);
    } else {
      timeline_->push_back({seconds(now_), seconds(to), state, cause});
    }
  }

  double age_now() const { return static_cast<double>(now_) / kNanoseconds; }
  /// The random number of the failure that is due: of its stream's last draw.
  std::uint64_t number_of(std::size_t m) const { return mixed(streams_[m].key + streams_[m].drawn); }
  static std::size_t index(FailureCause cause) { return static_cast<std::size_t>(cause); }

  const GoodputCase& c_;
  CaseTimes t_;
  std::vector<TimelinePiece>* timeline_;
  double bound_;
  std::vector<Stream> streams_;
  std::vector<std::int64_t> next_;  // failure of each mode
  std::vector<std::int64_t> slow_;  // parts of each mode that slow the job
  std::vector<Event> events_;       // a heap
  std::vector<Repair> queue_;       // for crews
  std::size_t queue_head_ = 0;
  std::int64_t busy_ = 0;
  std::int64_t gone_ = 0;  // servers

  std::int64_t now_ = 0;
  std::int64_t recovered_ = 0;
  FailureCause down_cause_ = FailureCause::gpu;
  double served_ = 1;
  double slowdown_ = 0;
  FailureCause slow_cause_ = FailureCause::straggler;

  std::int64_t phase_ = 0;        // time since training began anew, recovery and waiting left out
  std::int64_t trained_ = 0;      // of it, stalls left out
  std::int64_t taken_count_ = 0;  // checkpoints since then
  std::int64_t safe_count_ = 0;
  std::int64_t taken_work_ = 0;
  std::int64_t work_ = 0;    // at full speed
  std::int64_t saved_ = 0;   // of it
  std::int64_t backup_ = 0;  // of it
  bool corrupt_ = false;
  std::int64_t clean_ = 0;  // what was saved before the corruption
  std::uint64_t corrupted_by_ = 0;
  RunOutcome out_;
};

/// Sums of a fixed block of runs: added in their order, they are the same for any number of threads.
struct Block {
  std::array<LostTime, kFailureCauses> lost;
  double useful_h = 0, checkpoint_h = 0, waiting_h = 0, shrunk_h = 0, events = 0;
  bool cut = false;
};

constexpr std::int64_t kBlockRuns = 64;

double hours(std::int64_t ns) { return static_cast<double>(ns) / (kNanoseconds * 3600); }

void add_run(Block& block, const RunOutcome& run) {
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    block.lost[i].down_h += hours(run.down_ns[i]);
    block.lost[i].rework_h += hours(run.rework_ns[i]);
    block.lost[i].slow_h += hours(run.slow_ns[i]);
    block.lost[i].failures += static_cast<double>(run.failures[i]);
  }
  block.useful_h += hours(run.useful_ns);
  block.checkpoint_h += hours(run.checkpoint_ns);
  block.waiting_h += hours(run.waiting_ns);
  block.shrunk_h += hours(run.shrunk_ns);
  block.events += static_cast<double>(run.events);
  block.cut |= run.cut;
}

void add_block(MonthsResult& out, const Block& block, double share) {
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    out.lost[i].down_h += block.lost[i].down_h * share;
    out.lost[i].rework_h += block.lost[i].rework_h * share;
    out.lost[i].slow_h += block.lost[i].slow_h * share;
    out.lost[i].failures += block.lost[i].failures * share;
  }
  out.useful_h += block.useful_h * share;
  out.checkpoint_h += block.checkpoint_h * share;
  out.waiting_h += block.waiting_h * share;
  out.shrunk_h += block.shrunk_h * share;
  out.events += block.events;
}

void check_size(const GoodputCase& c) {
  double rate = 0;
  for (const FailureMode& mode : c.modes) rate += mode.rate_per_s * (mode.ages ? most_hazard(c) : 1);
  // A failure and what follows from it: a repair, a finding.
  const double events = rate * c.period.si() * kMargin;
  if (events > kMostEventsOfRun) {
    fail_input(whole("resilience.period"),
               fmt::format("some {:.3g} failures in a run: more than can be simulated", rate * c.period.si()),
               fmt::format("a period of at most {:.3g} days, or lower rates",
                           kMostEventsOfRun / kMargin / rate / 86400));
  }
  const double all = 2 * rate * c.period.si() * static_cast<double>(c.runs);
  if (all > kMostEvents) {
    fail_input(whole("resilience.runs"),
               fmt::format("some {:.3g} events in {} runs: more than can be simulated", all, c.runs),
               fmt::format("at most {:.0f} runs", std::floor(kMostEvents / (2 * rate * c.period.si()))));
  }
}

}  // namespace

RunOutcome simulate_run(const GoodputCase& c, Seconds interval, std::int64_t run,
                        std::vector<TimelinePiece>* timeline) {
  return Run(c, interval, run, timeline).simulate();
}

Spread spread_of(std::vector<double> values) {
  constexpr double kTail = 0.025;  // on either side of 95%
  Spread out;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  for (const double v : values) out.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.standard_error = values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  const auto at = [&](double share) {
    const double place = share * (n - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (values[high] - values[low]) * (place - static_cast<double>(low));
  };
  out.low = at(kTail);
  out.high = at(1 - kTail);
  return out;
}

MonthsResult simulate_months(const GoodputCase& c, Seconds interval, unsigned threads,
                             const RunsProgress& progress) {
  check_size(c);
  const std::int64_t count = (c.runs + kBlockRuns - 1) / kBlockRuns;
  std::vector<Block> blocks(static_cast<std::size_t>(count));
  std::vector<double> ettr(static_cast<std::size_t>(c.runs));
  std::vector<double> interruptions(ettr.size());
  MonthsResult out;
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::int64_t> done = 0;
  on_threads(threads, [&] {
    for (std::int64_t b = next++; b < count; b = next++) {
      for (std::int64_t r = b * kBlockRuns; r < std::min(c.runs, (b + 1) * kBlockRuns); ++r) {
        const RunOutcome run = simulate_run(c, interval, r, r == 0 ? &out.timeline : nullptr);
        add_run(blocks[static_cast<std::size_t>(b)], run);
        ettr[static_cast<std::size_t>(r)] =
            static_cast<double>(run.useful_ns) / static_cast<double>(run.period_ns);
        interruptions[static_cast<std::size_t>(r)] = static_cast<double>(run.interruptions);
        if (progress) progress(static_cast<std::size_t>(++done), ettr.size());
      }
    }
  });
  for (const Block& block : blocks) {
    TY_ASSERT(!block.cut, "a run had more events than its failures lead to");
    add_block(out, block, 1 / static_cast<double>(c.runs));
  }
  out.ettr = spread_of(std::move(ettr));
  out.interruptions = spread_of(std::move(interruptions));
  out.period_h = as<Hours>(c.period).count();
  out.runs = c.runs;
  return out;
}

}  // namespace trainyard
