#include "cost/exchange_line.h"

#include <algorithm>
#include <limits>

#include "base/whole_numbers.h"

namespace trainyard {

Seconds ExchangeLine::returned(double layers) {
  free_apart_ = free_ += layers * exchange_->returned;
  return free_ + exchange_->returned_once;
}

Seconds ExchangeLine::gather(double layers, Seconds asked) {
  gather_asked_ = std::max(gather_asked_, asked);
  line_up(gather_asked_);
  free_ = std::max(free_, gather_asked_) + layers * exchange_->gather;
  free_apart_ = std::max(free_apart_, gather_asked_) + layers * exchange_->gather;
  return free_;
}

void ExchangeLine::sum(double layers, Seconds asked, std::int32_t depth) {
  if (exchange_->sum.si() > 0) sums_.push_back({asked, layers, exchange_->sum_first, depth});
}

Seconds ExchangeLine::summed(std::int32_t depth) {
  line_up_all();
  return summed_[index(depth)];
}

Seconds ExchangeLine::end() {
  line_up_all();
  return std::max(free_, last_sum_);
}

/// Sums go into line that are asked for up to a moment.
void ExchangeLine::line_up(Seconds until) {
  while (std::deque<Sum>* queue = next()) {
    const Sum sum = queue->front();
    if (sum.asked > until) return;
    queue->pop_front();
    const double layers = sum.layers * sum.part;
    free_ = std::max(free_, sum.asked) + layers * exchange_->sum;
    free_apart_ = std::max(free_apart_, sum.asked) + layers * exchange_->sum_apart;
    if (queue == &sums_ && sum.part < 1) {
      later_.push_back({free_, sum.layers, 1 - sum.part, sum.depth});
      continue;
    }
    last_sum_ = std::max(free_, free_apart_ + exchange_->sum_once);
    summed_[index(sum.depth)] = last_sum_;
  }
}

void ExchangeLine::line_up_all() { line_up(Seconds(std::numeric_limits<double>::infinity())); }

/// Whose first was asked for first.
std::deque<ExchangeLine::Sum>* ExchangeLine::next() {
  if (sums_.empty()) return later_.empty() ? nullptr : &later_;
  if (later_.empty()) return &sums_;
  return later_.front().asked < sums_.front().asked ? &later_ : &sums_;
}

}  // namespace trainyard
