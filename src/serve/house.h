// The server's side of its connections: how many there may be, whose turn it is, what may be asked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <list>
#include <memory>
#include <string>

#include "serve/confinement.h"
#include "serve/door.h"
#include "serve/serve.h"
#include "serve/worker.h"

namespace trainyard::serving {

class Asking;
class Connection;
struct QuestionKind;

/// Connections at a time; beyond, the oldest that has asked nothing yet is turned away for a new one, so that
/// idle and half-open clients keep nobody out.
constexpr std::size_t kMostConnections = 256;
/// Closed connections whose last words are still on their way.
constexpr std::size_t kMostLingering = 64;
/// Threads of a search or a simulation: their processor time counts together.
constexpr double kMostThreadsOfQuestion = 64;
/// Questions that wait for a worker.
constexpr std::size_t kMostWaiting = 64;

class House {
 public:
  House(boost::asio::io_context& io, const ServeOptions& options, Door door);

  const Door& door() const { return door_; }
  const ServeOptions& options() const { return options_; }
  Killed& killed() { return killed_; }
  Confinement limits_of(const QuestionKind& kind) const;

  /// Documents that need no question: nullptr for other paths.
  const std::string* document(std::string_view path) const;

  using Place = std::list<std::weak_ptr<Connection>>::iterator;
  /// A connection begins to wait for a request, or no longer does.
  Place enter_lobby(const std::shared_ptr<Connection>& who);
  void leave_lobby(Place place) { lobby_.erase(place); }
  /// Makes room for one more: false where everybody is being served.
  bool make_room();

  void opened() { ++open_; }
  void closed() { --open_; }
  bool may_linger() const { return lingering_ < kMostLingering; }
  void lingers(bool begins) { begins ? ++lingering_ : --lingering_; }

  /// Answers now or in turn; false: too many wait.
  bool take_turn(const std::shared_ptr<Asking>& who, const QuestionKind& kind);
  /// An answer has ended.
  void turn_over(const QuestionKind& kind);

 private:
  struct Turn {
    std::weak_ptr<Asking> who;
    const QuestionKind* kind;
  };
  bool has_place(const QuestionKind& kind) const;
  void begin(const Turn& turn);

  boost::asio::io_context* io_;
  ServeOptions options_;
  Door door_;
  Killed killed_;
  std::string settings_;
  std::string scenarios_;
  std::string about_;
  std::list<std::weak_ptr<Connection>> lobby_;
  std::list<Turn> waiting_;
  std::size_t open_ = 0;
  std::size_t lingering_ = 0;
  std::size_t running_ = 0;
  std::size_t running_long_ = 0;
};

}  // namespace trainyard::serving
