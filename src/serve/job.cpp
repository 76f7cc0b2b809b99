#include "serve/job.h"

#include <boost/asio/buffer.hpp>
#include <cstdint>
#include <exception>
#include <utility>

#include "serve/door.h"
#include "serve/house.h"
#include "serve/questions.h"
#include "serve/teller.h"

namespace trainyard::serving {

namespace net = boost::asio;
using Error = boost::system::error_code;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kProgress = "{\"progress\":";
constexpr std::string_view kReport = "report";  // whose result is a page
constexpr std::string_view kPage = "{\"page\":";

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// What a list shows of a question: short words and numbers, not its text, and nothing nested that hostile
/// ones hold.
Json options_of(const std::string& body) {
  constexpr std::size_t kMostLetters = 200;
  Json out = Json::object();
  const Json all = Json::parse(body);
  for (const auto& [name, value] : all.items()) {
    const bool is_short = value.is_string() && value.get_ref<const std::string&>().size() <= kMostLetters;
    if (name != "text" && name.size() <= kMostLetters && (is_short || value.is_number())) out[name] = value;
  }
  return out;
}

}  // namespace

Job::Job(net::io_context& io, House& house, const QuestionKind& kind, std::string body)
    : house_(&house),
      kind_(&kind),
      id_(new_token()),
      body_(std::move(body)),
      options_(options_of(body_)),
      output_(io),
      limit_(io) {}

Job::~Job() = default;

Json Job::facts() const {
  constexpr const char* kStates[] = {"waiting", "running", "ended", "cancelled"};
  const double asked = std::chrono::duration<double>(asked_.time_since_epoch()).count();
  const bool has_begun = begun_ != Clock::time_point{};
  const Clock::time_point until = has_ended() ? ended_ : Clock::now();
  Json out = {{"id", id_},
              {"kind", kind_->name},
              {"question", options_},
              {"state", kStates[static_cast<std::size_t>(state_)]},
              {"asked_s", asked},
              {"took_s", has_begun ? seconds(until - begun_) : 0.0}};
  if (!progress_.empty() && !has_ended()) out["progress"] = Json::parse(progress_).at("progress");
  if (!answer().empty()) out["outcome"] = answer().substr(2, answer().find('"', 2) - 2);
  return out;
}

void Job::begin_answer() {
  state_ = State::running;
  begun_ = Clock::now();
  try {
    worker_.emplace(Question{std::string(kind_->name), body_, house_->options().folder, true},
                    house_->limits_of(*kind_), house_->killed());
  } catch (const std::exception& error) {
    answer_ = failed_line(error.what());
    return end(State::ended);
  }
  output_.assign(worker_->take_output());
  limit_.expires_after(
      std::chrono::milliseconds(static_cast<std::int64_t>(house_->options().time.si() * 1e3)));
  limit_.async_wait([self = shared_from_this()](Error error) {
    if (!error) self->kill("it took longer than a question may (trainyard serve --time)");
  });
  read();
}

void Job::read() {
  output_.async_read_some(net::buffer(chunk_), [self = shared_from_this()](Error error, std::size_t bytes) {
    if (!self->worker_) return;  // cancelled
    if (error) return self->finish();
    self->take({self->chunk_.data(), bytes});
    self->read();
  });
}

void Job::take(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    rest_.append(bytes.substr(0, end));
    take_line(rest_);
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
  rest_.append(bytes);
  if (rest_.size() > kMostAnswerBytes) {
    kill("its answer has more than 64 MB");
    rest_.clear();
  }
}

void Job::take_line(std::string_view line) {
  std::string& kept = line.starts_with(kProgress) ? progress_ : line.starts_with(kPage) ? page_ : answer_;
  kept.assign(line);
}

void Job::kill(const char* why) {
  if (!worker_ || !killed_because_.empty()) return;
  killed_because_ = why;
  worker_->kill();
}

void Job::finish() {
  std::string why = worker_->outcome();
  if (!killed_because_.empty()) why = killed_because_;
  if (!why.empty()) answer_ = failed_line(why);
  if (answer_.empty()) answer_ = failed_line("it ended without an answer");
  end(State::ended);
}

/// A line may be there while its process still ends: pages would ask for what is not yet.
std::string_view Job::answer() const {
  if (state_ != State::ended) return {};
  return answer_;
}

std::string Job::page() const {
  if (state_ != State::ended) return {};
  if (kind_->name != kReport) return page_.empty() ? "" : Json::parse(page_).at("page").get<std::string>();
  const Json answer = Json::parse(answer_, nullptr, false);
  return answer.is_object() && answer.contains("result") ? answer.at("result").value("html", "") : "";
}

void Job::cancel() {
  if (has_ended()) return;
  const bool had_turn = state_ == State::running;
  if (had_turn) return end(State::cancelled);
  state_ = State::cancelled;
  ended_ = Clock::now();
}

/// Gives its turn to others, and what it held back.
void Job::end(State state) {
  state_ = state;
  ended_ = Clock::now();
  limit_.cancel();
  worker_.reset();
  Error ignored;
  output_.close(ignored);
  rest_ = {};
  house_->turn_over(*kind_);
}

}  // namespace trainyard::serving
