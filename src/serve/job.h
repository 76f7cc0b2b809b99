// Work that goes on when the page that asked for it is gone.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "serve/asking.h"
#include "serve/worker.h"

namespace trainyard::serving {

class House;
struct QuestionKind;

/// Of one answer; more is no answer for a browser either.
constexpr std::size_t kMostAnswerBytes = 64'000'000;

class Job final : public Asking, public std::enable_shared_from_this<Job> {
 public:
  Job(boost::asio::io_context& io, House& house, const QuestionKind& kind, std::string body);
  ~Job();

  const std::string& id() const { return id_; }
  const QuestionKind& kind() const { return *kind_; }
  /// The question as it was sent.
  const std::string& question() const { return body_; }
  /// The last line of the answer; empty before the end, and of what was cancelled.
  std::string_view answer() const;
  /// The answer as HTML, once it has ended; empty: it has none.
  std::string page() const;
  bool has_ended() const { return state_ == State::ended || state_ == State::cancelled; }
  std::size_t bytes() const { return body_.size() + page_.size() + answer_.size(); }

  /// id, kind, name, options of the question, state, times and the last progress.
  nlohmann::ordered_json facts() const;

  bool is_asking() const override { return state_ == State::waiting; }
  void begin_answer() override;
  void cancel();

 private:
  enum class State { waiting, running, ended, cancelled };
  using Clock = std::chrono::steady_clock;

  void read();
  void take(std::string_view bytes);
  void take_line(std::string_view line);
  void kill(const char* why);
  void finish();
  void end(State state);

  House* house_;
  const QuestionKind* kind_;
  std::string id_;
  std::string body_;
  nlohmann::ordered_json options_;  // of the question, without its text
  State state_ = State::waiting;
  std::chrono::system_clock::time_point asked_ = std::chrono::system_clock::now();
  Clock::time_point begun_;
  Clock::time_point ended_;
  std::optional<Worker> worker_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer limit_;
  std::array<char, 65536> chunk_{};
  std::string rest_;  // of a line that has not ended
  std::string progress_;
  std::string page_;
  std::string answer_;  // the last line so far
  std::string killed_because_;
};

}  // namespace trainyard::serving
