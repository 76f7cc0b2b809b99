#include "schedule/queue.h"

namespace trainyard::schedule {

Queue::Key Queue::key(std::size_t job) const {
  const Job& it = jobs_[job];
  switch (order_) {
    case QueueOrder::arrival:
      return {it.submit_s, 0, job};
    case QueueOrder::shortest:
      return {it.estimate_s, it.submit_s, job};
    case QueueOrder::priority:
      return {-static_cast<double>(it.priority), it.submit_s, job};
  }
  return {it.submit_s, 0, job};
}

void Queue::insert(std::size_t job) {
  waiting_.insert(key(job));
  devices_ += static_cast<double>(jobs_[job].devices);
}

void Queue::erase(std::size_t job) {
  waiting_.erase(key(job));
  devices_ -= static_cast<double>(jobs_[job].devices);
}

}  // namespace trainyard::schedule
