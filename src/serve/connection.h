// One client: requests in, answers out, with a deadline for each part. All of it runs on one thread.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "serve/asking.h"
#include "serve/house.h"
#include "serve/jobs.h"
#include "serve/worker.h"

namespace trainyard::serving {

/// What a client may send, and how long it may take.
constexpr std::size_t kMostHeadBytes = 8192;
constexpr std::size_t kMostBodyBytes = 1'000'000;
constexpr std::chrono::seconds kHeadTime{5};
constexpr std::chrono::seconds kBodyTime{10};
constexpr std::chrono::seconds kIdleTime{30};   // between requests
constexpr std::chrono::seconds kWriteTime{30};  // without progress
constexpr std::chrono::seconds kLingerTime{1};

class Connection final : public Asking, public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, House& house, Jobs& jobs);
  ~Connection();

  void start() { read_head(); }
  /// The place is needed: where a request has begun, it is told so.
  void turn_away();
  /// For one that came when there was no place at all.
  void refuse_at_once();
  void begin_answer() override;
  bool is_asking() const override { return kind_ != nullptr; }

 private:
  using Error = boost::beast::error_code;

  void read_head();
  void on_head(Error error);
  void on_body(Error error);
  void refuse_broken(Error error);
  void respond();
  void ask(const QuestionKind& kind);
  void send(unsigned status, std::string_view type, std::string body, bool ends = false,
            bool is_report = false);
  void refuse(unsigned status, const std::string& why);
  void on_sent(Error error, bool ends);
  void linger();
  void drain();
  void close();

  void watch();
  void on_readable(Error error);
  void pump();
  void on_output(Error error, std::size_t bytes);
  void finish();
  void end_chunks(const std::string& last_line);
  void abandon();

  House* house_;
  Jobs* jobs_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> response_;
  std::optional<boost::beast::http::response<boost::beast::http::empty_body>> head_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::empty_body>> serializer_;
  std::optional<House::Place> place_;  // in the lobby
  std::optional<Worker> worker_;
  boost::asio::posix::stream_descriptor output_;  // of the worker
  boost::asio::steady_timer limit_;
  std::array<char, 16384> chunk_{};
  std::string last_line_;
  const QuestionKind* kind_ = nullptr;  // while a question waits or is answered
  bool has_turn_ = false;
  bool is_watched_ = false;
  bool turned_away_ = false;
  bool is_first_ = true;  // request of the connection
  bool too_long_ = false;
  bool lingers_ = false;
  bool counts_ = true;
};

}  // namespace trainyard::serving
