// What training between failures keeps: in the long run, and by a time since it began.
#pragma once

namespace trainyard {

class UpTimes;

/// Training from a recovery to the next failure, with checkpoints.
struct KeptStretches {
  double stops_per_s = 0;   // failures that lose what is not safe
  double pauses_per_s = 0;  // those that keep all
  double interval_s = 0;    // of training between checkpoints
  double stall_s = 0;       // of training, for each
  double safe_after_s = 0;  // that training goes on before a checkpoint counts, at most the interval

  double ends_per_s() const { return stops_per_s + pauses_per_s; }
  double cycle_s() const { return interval_s + stall_s; }
};

/// Share of the time in which no recovery is under way, in the long run.
double kept_share(const KeptStretches& stretches);

/// Work that is done by a time since training began without a failure. What is not safe then counts.
double kept_by(const KeptStretches& stretches, const UpTimes& up, double time_s);

/// Wrong results show after an exponential time; what was trained since is lost, whether it is found by the
/// end or not: the share of the training that is kept, in the long run and by a time since it began.
struct WrongResults {
  double rate_per_s = 0;
  double found_after_s = 0;  // mean

  double kept_share() const { return 1 / (1 + rate_per_s * found_after_s); }
  double kept_share_by(double time_s) const;
  /// Those that are found by then, over those that would be found in such a time in the long run.
  double found_share_by(double time_s) const;
};

}  // namespace trainyard
