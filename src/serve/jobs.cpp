#include "serve/jobs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/house.h"
#include "serve/job.h"
#include "serve/json_text.h"
#include "serve/questions.h"
#include "serve/status.h"
#include "serve/teller.h"

namespace trainyard::serving {

namespace {

using Json = nlohmann::ordered_json;

JobReply nothing() {
  return {kNotFound, failed_line("there is no such work; it was long ago, or forgotten")};
}

/// "/a/b" into a and "b".
std::pair<std::string_view, std::string_view> parts_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {path, {}};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

JobReply Jobs::get(std::string_view path) const {
  if (path.empty()) {
    Json all = Json::array();
    for (const auto& job : jobs_) all.push_back(job->facts());
    return {.body = dumped({{"jobs", std::move(all)}})};
  }
  const auto [id, what] = parts_of(path);
  const std::shared_ptr<Job> job = find(id);
  if (!job) return nothing();
  if (what == "question") return {.body = job->question()};
  if (!what.empty()) return nothing();
  return {.body = dumped({{"job", job->facts()}}) + "\n" + std::string(job->answer())};
}

JobReply Jobs::post(std::string_view path, const std::string& body) {
  const auto [name, what] = parts_of(path);
  if (what.empty()) {
    const QuestionKind* kind = find_kind(name);
    if (kind) return begin(*kind, body);
  }
  const std::shared_ptr<Job> job = find(name);
  if (!job || (what != "cancel" && what != "forget")) return nothing();
  job->cancel();
  if (what == "forget") jobs_.remove(job);
  return {.body = dumped({{"job", job->facts()}})};
}

JobReply Jobs::begin(const QuestionKind& kind, const std::string& body) {
  const Json question = Json::parse(body, nullptr, false);
  if (!question.is_object()) return {kBadRequest, failed_line("the question is no JSON object")};
  make_room();
  if (jobs_.size() >= kMostJobs) return {kBusy, failed_line("too much work waits or runs")};
  const auto job = std::make_shared<Job>(*io_, *house_, kind, body);
  if (!house_->take_turn(job, kind)) return {kBusy, failed_line("too many questions wait")};
  jobs_.push_back(job);
  return {.body = dumped({{"job", job->facts()}})};
}

/// For one more, of the usual size.
void Jobs::make_room() {
  std::size_t bytes = 0;
  for (const auto& job : jobs_) bytes += job->bytes();
  while (jobs_.size() >= kMostJobs || bytes > kMostJobBytes) {
    const auto oldest =
        std::find_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->has_ended(); });
    if (oldest == jobs_.end()) return;
    bytes -= (*oldest)->bytes();
    jobs_.erase(oldest);
  }
}

std::string Jobs::page(std::string_view id) const {
  const std::shared_ptr<Job> job = find(id);
  return job ? job->page() : "";
}

std::shared_ptr<Job> Jobs::find(std::string_view id) const {
  for (const auto& job : jobs_) {
    if (same_secret(job->id(), id)) return job;
  }
  return nullptr;
}

}  // namespace trainyard::serving
