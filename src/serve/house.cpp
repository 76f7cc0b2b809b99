#include "serve/house.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "serve/connection.h"
#include "serve/questions.h"

namespace trainyard::serving {

House::House(boost::asio::io_context& io, const ServeOptions& options, Door door)
    : io_(&io),
      options_(options),
      door_(std::move(door)),
      settings_(settings_document()),
      scenarios_(scenarios_document()),
      about_(about_document(options)) {
  warm_up();
}

Confinement House::limits_of(const QuestionKind& kind) const {
  return {.memory = options_.memory,
          .processor = options_.time * kMostThreadsOfQuestion,
          .folder = options_.folder,
          .is_long = kind.is_long};
}

const std::string* House::document(std::string_view path) const {
  if (path == "/api/settings") return &settings_;
  if (path == "/api/scenarios") return &scenarios_;
  return path == "/api/about" ? &about_ : nullptr;
}

House::Place House::enter_lobby(const std::shared_ptr<Connection>& who) {
  return lobby_.insert(lobby_.end(), who);
}

bool House::make_room() {
  if (open_ < kMostConnections) return true;
  if (lobby_.empty()) return false;
  if (const auto oldest = lobby_.front().lock()) oldest->turn_away();
  return true;
}

/// One place is always left for questions that take no time.
bool House::has_place(const QuestionKind& kind) const {
  if (running_ >= options_.workers) return false;
  return !kind.is_long || options_.workers == 1 || running_long_ + 1 < options_.workers;
}

bool House::take_turn(const std::shared_ptr<Asking>& who, const QuestionKind& kind) {
  waiting_.remove_if([](const Turn& turn) {
    const auto other = turn.who.lock();
    return !other || !other->is_asking();
  });
  if (has_place(kind)) {
    begin({who, &kind});
    return true;
  }
  if (waiting_.size() >= kMostWaiting) return false;
  waiting_.push_back({who, &kind});
  return true;
}

void House::begin(const Turn& turn) {
  ++running_;
  if (turn.kind->is_long) ++running_long_;
  // Not from within the handler that asks: it goes on with the connection.
  boost::asio::post(*io_, [this, turn] {
    const auto who = turn.who.lock();
    if (who && who->is_asking()) return who->begin_answer();
    turn_over(*turn.kind);
  });
}

void House::turn_over(const QuestionKind& kind) {
  --running_;
  if (kind.is_long) --running_long_;
  const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                 [this](const Turn& turn) { return has_place(*turn.kind); });
  if (next == waiting_.end()) return;
  const Turn turn = *next;
  waiting_.erase(next);
  begin(turn);
}

}  // namespace trainyard::serving
