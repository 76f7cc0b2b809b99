#include "serve/connection.h"

#include <sys/socket.h>

#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "serve/questions.h"
#include "serve/replies.h"
#include "serve/status.h"
#include "serve/teller.h"

namespace trainyard::serving {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr std::size_t kBufferBytes = 65536;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }
beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

constexpr beast::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
    "'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A report carries its script in itself: it runs as of nobody's origin, and reaches nothing.
constexpr beast::string_view kReportPolicy =
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Nothing from elsewhere, in no frame but a report in the page's, and nothing of it in a cache of somebody
/// else.
template <class Response>
void add_headers(Response& response, bool is_report = false) {
  response.set("Content-Security-Policy", is_report ? kReportPolicy : kPagePolicy);
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", is_report ? "SAMEORIGIN" : "DENY");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
  response.set(http::field::cache_control, "no-store");
}

}  // namespace

Connection::Connection(net::ip::tcp::socket socket, House& house, Jobs& jobs)
    : house_(&house),
      jobs_(&jobs),
      stream_(std::move(socket)),
      buffer_(kBufferBytes),
      output_(stream_.get_executor()),
      limit_(stream_.get_executor()) {
  house_->opened();
}

Connection::~Connection() {
  if (place_) house_->leave_lobby(*place_);
  if (lingers_) house_->lingers(false);
  if (counts_) house_->closed();
}

void Connection::read_head() {
  parser_.emplace();
  parser_->header_limit(kMostHeadBytes);
  parser_->body_limit(kMostBodyBytes);
  place_ = house_->enter_lobby(shared_from_this());
  stream_.expires_after(is_first_ ? kHeadTime : kIdleTime);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
}

void Connection::turn_away() {
  turned_away_ = true;
  house_->leave_lobby(*std::exchange(place_, std::nullopt));
  house_->closed();
  counts_ = false;
  stream_.cancel();
}

void Connection::refuse_at_once() {
  house_->closed();
  counts_ = false;
  refuse(kBusy, "too many connections");
}

void Connection::on_head(Error error) {
  if (place_) house_->leave_lobby(*std::exchange(place_, std::nullopt));
  if (turned_away_) return is_first_ ? refuse(kBusy, "too many connections") : close();
  if (error) return refuse_broken(error);
  is_first_ = false;
  const auto& request = parser_->get();
  constexpr unsigned kHttp11 = 11;
  if (request.version() != kHttp11) return refuse(kWrongVersion, "only HTTP/1.1 is spoken here");
  if (request.count(http::field::host) != 1) return refuse(kBadRequest, "one Host is needed");
  const Refusal refusal = house_->door().judge({.method = view(request.method_string()),
                                                .target = view(request.target()),
                                                .host = view(request[http::field::host]),
                                                .origin = view(request[http::field::origin]),
                                                .token = view(request["X-Trainyard-Token"]),
                                                .type = view(request[http::field::content_type])});
  if (refusal.status != 0) return refuse(refusal.status, refusal.why);
  stream_.expires_after(kBodyTime);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Error failed, std::size_t) { self->on_body(failed); });
}

void Connection::on_body(Error error) {
  if (error) return refuse_broken(error);
  respond();
}

/// A client that was too slow is closed without a word, as its stream is by then.
void Connection::refuse_broken(Error error) {
  if (error == http::error::body_limit) return refuse(kTooLarge, "a question has at most 1 MB");
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refuse(kHeadTooLarge, "the head of a request has at most 8 KiB");
  if (error == http::error::end_of_stream || error == http::error::partial_message) return close();
  if (error.category() == make_error_code(http::error::end_of_stream).category())
    return refuse(kBadRequest, "this is no HTTP: " + error.message());
  close();
}

void Connection::respond() {
  const auto& request = parser_->get();
  const bool gets = request.method() == http::verb::get;
  const std::string_view target = view(request.target());
  const std::string_view path = target.substr(0, target.find('?'));
  if (const QuestionKind* kind = gets ? nullptr : question_of(path)) return ask(*kind);
  Reply reply = reply_to({gets, path, request.body()}, *house_, *jobs_);
  send(reply.status, reply.type, std::move(reply.body), false, reply.is_report);
}

void Connection::send(unsigned status, std::string_view type, std::string body, bool ends, bool is_report) {
  const bool stays = !ends && parser_ && parser_->is_done() && parser_->get().keep_alive();
  response_.emplace(http::int_to_status(status), 11U);
  add_headers(*response_, is_report);
  response_->set(http::field::content_type, beast_view(type));
  if (status == kBusy) response_->set(http::field::retry_after, "1");
  response_->body() = std::move(body);
  response_->keep_alive(stays);
  response_->prepare_payload();
  stream_.expires_after(kWriteTime);
  http::async_write(stream_, *response_, [self = shared_from_this(), stays](Error error, std::size_t) {
    self->on_sent(error, !stays);
  });
}

void Connection::refuse(unsigned status, const std::string& why) {
  send(status, kJson, failed_line(why), true);
}

void Connection::on_sent(Error error, bool ends) {
  response_.reset();
  if (error) return close();
  return ends ? linger() : read_head();
}

/// What the client still sends would make the system throw away the answer, were the socket closed at once.
void Connection::linger() {
  if (!house_->may_linger()) return close();
  if (std::exchange(counts_, false)) house_->closed();
  lingers_ = true;
  house_->lingers(true);
  Error ignored;
  stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLingerTime);
  drain();
}

void Connection::drain() {
  stream_.async_read_some(net::buffer(chunk_), [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->close();
    self->drain();
  });
}

void Connection::close() { stream_.close(); }

void Connection::ask(const QuestionKind& kind) {
  if (!nlohmann::json::accept(parser_->get().body()))
    return send(kBadRequest, kJson, failed_line("the question is no JSON"));
  kind_ = &kind;
  if (!house_->take_turn(shared_from_this(), kind)) {
    kind_ = nullptr;
    return send(kBusy, kJson, failed_line("too many questions wait"));
  }
  watch();
}

/// Whether the client goes away while it is answered.
void Connection::watch() {
  if (is_watched_) return;
  is_watched_ = true;
  stream_.socket().async_wait(net::ip::tcp::socket::wait_read, [self = shared_from_this()](Error error) {
    self->is_watched_ = false;
    self->on_readable(error);
  });
}

void Connection::on_readable(Error error) {
  if (error || !kind_) return;
  char byte = 0;
  const ssize_t got = recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return;  // the next request, early
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return watch();
  abandon();
}

void Connection::begin_answer() {
  has_turn_ = true;
  try {
    worker_.emplace(
        Question{std::string(kind_->name), std::move(parser_->get().body()), house_->options().folder},
        house_->limits_of(*kind_), house_->killed());
  } catch (const std::exception& error) {
    has_turn_ = false;
    house_->turn_over(*std::exchange(kind_, nullptr));
    return send(kBusy, kJson, failed_line(error.what()));
  }
  output_.assign(worker_->take_output());
  too_long_ = false;
  limit_.expires_after(
      std::chrono::milliseconds(static_cast<std::int64_t>(house_->options().time.si() * 1e3)));
  limit_.async_wait([self = shared_from_this()](Error error) {
    if (error || !self->worker_) return;
    self->too_long_ = true;
    self->worker_->kill();
  });
  head_.emplace(http::status::ok, 11U);
  add_headers(*head_);
  head_->set(http::field::content_type, "application/x-ndjson");
  head_->keep_alive(parser_->get().keep_alive());
  head_->chunked(true);
  serializer_.emplace(*head_);
  stream_.expires_after(kWriteTime);
  http::async_write_header(stream_, *serializer_, [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->abandon();
    self->pump();
  });
}

void Connection::pump() {
  output_.async_read_some(net::buffer(chunk_), [self = shared_from_this()](Error error, std::size_t bytes) {
    self->on_output(error, bytes);
  });
}

void Connection::on_output(Error error, std::size_t bytes) {
  if (!worker_) return;  // abandoned
  if (error) return finish();
  stream_.expires_after(kWriteTime);
  net::async_write(stream_, http::make_chunk(net::buffer(chunk_.data(), bytes)),
                   [self = shared_from_this()](Error failed, std::size_t) {
                     if (failed) return self->abandon();
                     self->pump();
                   });
}

void Connection::finish() {
  limit_.cancel();
  output_.close();
  std::string why = worker_->outcome();
  if (too_long_) why = "it took longer than a question may (trainyard serve --time)";
  worker_.reset();
  has_turn_ = false;
  house_->turn_over(*std::exchange(kind_, nullptr));
  end_chunks(why.empty() ? "" : "\n" + failed_line(why));
}

void Connection::end_chunks(const std::string& last_line) {
  stream_.expires_after(kWriteTime);
  last_line_ = last_line;
  const bool stays = head_->keep_alive();
  const auto sent = [self = shared_from_this(), stays](Error error, std::size_t) {
    self->serializer_.reset();
    self->stream_.socket().cancel();
    self->on_sent(error, !stays);
  };
  if (last_line_.empty()) return net::async_write(stream_, http::make_chunk_last(), sent);
  net::async_write(stream_, http::make_chunk(net::buffer(last_line_)),
                   [self = shared_from_this(), sent](Error error, std::size_t bytes) {
                     if (error) return sent(error, bytes);
                     net::async_write(self->stream_, http::make_chunk_last(), sent);
                   });
}

/// Nobody waits for the answer any more.
void Connection::abandon() {
  limit_.cancel();
  worker_.reset();
  Error ignored;
  output_.close(ignored);
  const QuestionKind* const kind = std::exchange(kind_, nullptr);
  if (kind && std::exchange(has_turn_, false)) house_->turn_over(*kind);
  close();
}

}  // namespace trainyard::serving
