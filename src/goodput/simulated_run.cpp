// One run of months as events: failures, repairs, findings. Between events training advances in closed form,
// so that a run costs time by its failures and not by its checkpoints.
#include <algorithm>
#include <cmath>
#include <optional>

#include "goodput/case_times.h"
#include "goodput/failure_streams.h"
#include "goodput/goodput_parts.h"
#include "goodput/saved_work.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

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

class Run {
 public:
  Run(const GoodputCase& c, Seconds interval, std::int64_t run, std::vector<TimelinePiece>* timeline)
      : c_(c),
        t_(times_of(c, interval)),
        timeline_(timeline),
        failures_(c, run, t_.period),
        slow_(c.modes.size(), 0),
        progress_(t_, c.outlives_all) {
    out_.period_ns = t_.period;
  }

  RunOutcome simulate() {
    while (go_on()) {
      if (static_cast<double>(out_.events) > kMostEventsOfRun) return cut_short();
    }
    return ended();
  }

  /// When so much work is done first; nothing: not within the period, nor the events of a run.
  std::optional<std::int64_t> time_of(std::int64_t work) {
    target_ = work;
    while (!done_ && go_on() && static_cast<double>(out_.events) <= kMostEventsOfRun) {
    }
    return done_;
  }

 private:
  /// To the next event, which happens; false: to the end of the period.
  bool go_on() {
    const std::int64_t failure = failures_.first();
    const std::int64_t later = events_.empty() ? kNeverComes : events_.front().at;
    const std::int64_t until = std::min({failure, later, t_.period});
    advance(until);
    if (until == t_.period) return false;
    ++out_.events;
    if (later <= failure) {
      take_event();
    } else {
      take_failure();
    }
    return true;
  }

  /// The rest counts as waiting, and the result says so.
  RunOutcome cut_short() {
    out_.cut = true;
    out_.waiting_ns += t_.period - now_;
    return ended();
  }

  /// Wrong results are lost, whoever finds them later.
  RunOutcome ended() {
    if (const auto clean = progress_.clean_work()) restore(*clean, FailureCause::silent);
    out_.useful_ns = progress_.work();
    return out_;
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
    if (target_) look_for_target(span);
    const TrainedSpan trained = progress_.train(span, served_, slowdown_);
    out_.checkpoint_ns += span - trained.time;
    out_.shrunk_ns += trained.shrunk;
    out_.slow_ns[index(slow_cause_)] += trained.time - trained.work - trained.shrunk;
  }

  /// Whether the work of the target is done within the span, and when: right results alone are.
  void look_for_target(std::int64_t span) {
    const auto reached = [&](std::int64_t part) {
      SavedWork ahead = progress_;
      ahead.train(part, served_, slowdown_);
      return ahead.work() >= *target_;
    };
    if (done_ || progress_.clean_work() || !reached(span)) return;
    std::int64_t low = 0;
    std::int64_t high = span;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (reached(middle) ? high : low) = middle;
    }
    done_ = now_ + high;
  }

  void restore(std::int64_t work, FailureCause cause) {
    out_.rework_ns[index(cause)] += progress_.restore(work);
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

  void take_failure() {
    const auto [m, tag, happens] = failures_.take(now_);
    if (!happens) return;
    const FailureMode& mode = c_.modes[m];
    ++out_.failures[index(mode.cause)];
    if (mode.cause == FailureCause::silent) return corrupt(m, tag);
    if (mode.cause == FailureCause::straggler) {
      change_speed(m, +1);
      return push({now_ + nanoseconds(mode.lasts.si()), Later::straggler_found, m, tag});
    }
    if (mode.slowdown > 0) {
      change_speed(m, +1);
      push({now_ + repair_time(mode, tag), Later::speed_back, m, tag});
    }
    const std::int64_t swap = mode.hosts > 0 ? take_hosts(m, tag) : 0;
    if (mode.stops) stop(mode, tag, swap);
  }

  void stop(const FailureMode& mode, std::uint64_t tag, std::int64_t swap) {
    if (mode.cause == FailureCause::planned) {
      restore(progress_.work(), mode.cause);
      return recover(t_.restart, mode.cause);
    }
    ++out_.interruptions;
    restore(mode.keeps ? progress_.saved() : progress_.backup(), mode.cause);
    const std::int64_t found = found_after(mixed(tag, static_cast<std::uint64_t>(Draw::found)));
    recover(found + swap + t_.restart, mode.cause);
  }

  void corrupt(std::uint32_t m, std::uint64_t tag) {
    if (!progress_.corrupt(tag)) return;
    const double wait = -std::log(share_of(tag, Draw::repaired)) * c_.modes[m].lasts.si();
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
        return evict(event, progress_.work());
      case Later::corruption_found:
        if (const auto clean = progress_.find_corruption(event.tag)) evict(event, *clean);
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
    const double mean = (is_found_later(mode) ? c_.repair : mode.lasts).si();
    return nanoseconds(-std::log(share_of(~tag, Draw::repaired)) * mean);
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

  static std::size_t index(FailureCause cause) { return static_cast<std::size_t>(cause); }

  const GoodputCase& c_;
  CaseTimes t_;
  std::vector<TimelinePiece>* timeline_;
  FailureStreams failures_;
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

  SavedWork progress_;
  RunOutcome out_;
  std::optional<std::int64_t> target_;  // work that ends the run
  std::optional<std::int64_t> done_;    // when it was done
};

}  // namespace

RunOutcome simulate_run(const GoodputCase& c, Seconds interval, std::int64_t run,
                        std::vector<TimelinePiece>* timeline) {
  return Run(c, interval, run, timeline).simulate();
}

std::optional<Seconds> simulated_time(const GoodputCase& c, Seconds interval, std::int64_t run,
                                      Seconds ideal) {
  const auto done = Run(c, interval, run, nullptr).time_of(nanoseconds(ideal.si()));
  if (!done) return std::nullopt;
  return Seconds(static_cast<double>(*done) / kNanoseconds);
}

}  // namespace trainyard
