#include "schedule/backlog.h"

#include <algorithm>
#include <limits>
#include <map>

namespace trainyard::schedule {

Backlog::Backlog(const std::vector<Job>& jobs, const Queue& queue) : places_(jobs.size()) {
  std::map<std::int64_t, std::vector<Queue::Key>> sizes;
  for (std::size_t job = 0; job < jobs.size(); ++job) sizes[jobs[job].devices].push_back(queue.key(job));
  for (auto& [devices, keys] : sizes) {
    std::sort(keys.begin(), keys.end());
    for (std::size_t place = 0; place < keys.size(); ++place)
      places_[std::get<2>(keys[place])] = {sizes_.size(), place};
    const std::size_t places = keys.size();
    sizes_.push_back({devices, std::move(keys), LeastTree(places)});
  }
}

void Backlog::erase(std::size_t job) {
  hold_of(job).set(places_[job].second, std::numeric_limits<double>::infinity());
}

std::optional<Queue::Key> Backlog::next(std::size_t size, const Queue::Key& after, double most_s) const {
  const Size& it = sizes_[size];
  const auto behind = std::upper_bound(it.keys.begin(), it.keys.end(), after);
  const std::optional<std::size_t> place =
      it.hold_s.first(static_cast<std::size_t>(behind - it.keys.begin()), most_s);
  return place ? std::optional(it.keys[*place]) : std::nullopt;
}

BacklogLook::BacklogLook(const Backlog& backlog, const Queue::Key& first, MostHold most)
    : backlog_(backlog),
      most_(std::move(most)),
      at_(first),
      asked_(backlog.sizes()),
      bounds_(backlog.sizes()) {
  for (std::size_t size = 0; size < backlog.sizes(); ++size) ask(size);
}

std::optional<std::size_t> BacklogLook::next() {
  if (named_) ask(size_);
  named_ = false;
  while (!ahead_.empty()) {
    const auto [key, size] = ahead_.top();
    ahead_.pop();
    if (asked_[size] != key) continue;  // another of its size was found to stand before it
    asked_[size].reset();
    at_ = key;
    size_ = size;
    named_ = true;
    return std::get<2>(key);
  }
  return std::nullopt;
}

void BacklogLook::started() {
  for (const std::size_t size : refused_) bounds_[size].reset();
  for (const std::size_t size : std::exchange(refused_, {})) ask(size);
}

void BacklogLook::refused(double most_s) {
  if (!bounds_[size_]) refused_.push_back(size_);
  bounds_[size_] = most_s;
}

void BacklogLook::ask(std::size_t size) {
  const double most = most_(backlog_.devices(size));
  asked_[size] = backlog_.next(size, at_, bounds_[size] ? std::min(most, *bounds_[size]) : most);
  if (asked_[size]) ahead_.emplace(*asked_[size], size);
}

}  // namespace trainyard::schedule
