// Philly, Microsoft 2017 (github.com/msr-fiddle/philly-traces): cluster_job_log, an array of jobs with their
// attempts. As in the trace's own notebook, devices are those of the first attempt, and the run goes from its
// start to the end of the last. Each job is parsed alone: the file is never held as a tree.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "jobs/collector.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

/// Cuts the objects of an array out of its text.
class Objects {
 public:
  explicit Objects(std::shared_ptr<const SourceText> source)
      : source_(std::move(source)), text_(source_->text) {
    pass_blanks();
    if (at_ == text_.size() || text_[at_] != '[') fail("no array of jobs", "[ {...}, {...} ]");
    ++at_;
  }

  /// The next object; nothing at the end of the array.
  std::optional<std::string_view> next() {
    pass_blanks();
    if (at_ < text_.size() && text_[at_] == ',' && !first_) {
      ++at_;
      pass_blanks();
    } else if (at_ < text_.size() && text_[at_] == ']') {
      return std::nullopt;
    }
    first_ = false;
    if (at_ == text_.size()) fail("the array of jobs does not end", "is the file whole?");
    if (text_[at_] != '{') fail("no job", "{\"jobid\": ..., \"attempts\": [...]}");
    begin_ = at_;
    line_of_object_ = line_;
    column_of_object_ = static_cast<int>(at_ - line_begin_) + 1;
    pass_object();
    return text_.substr(begin_, at_ - begin_);
  }

  int line() const { return line_of_object_; }
  /// Of a file all of whose jobs stand on one line, that of the job.
  int column() const { return column_of_object_; }

 private:
  void pass_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      pass_one();
  }
  void pass_one() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_begin_ = at_;
  }

  void pass_object() {
    std::int64_t depth = 0;
    bool in_word = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (in_word && c == '\\') pass_one();
      if (at_ < text_.size()) pass_one();
      if (c == '"') in_word = !in_word;
      if (in_word) continue;
      depth += c == '{' ? 1 : (c == '}' ? -1 : 0);
      if (depth == 0) return;
    }
    fail_input({source_, line_of_object_, column_of_object_}, "a job that does not end",
               "is the file whole?");
  }

  [[noreturn]] void fail(const std::string& message, const std::string& help) const {
    fail_input({source_, line_, static_cast<int>(at_ - line_begin_) + 1}, message, help);
  }

  std::shared_ptr<const SourceText> source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int line_of_object_ = 1;
  int column_of_object_ = 1;
  bool first_ = true;
};

class PhillyJobs {
 public:
  explicit PhillyJobs(const JobFile& file) : source_(file.text), objects_(file.text), out_(file, "philly") {
    out_.set_trace("Philly");
  }

  JobList read() {
    while (const auto object = objects_.next()) out_.guarded([&] { read_job(*object); });
    if (again_ > 0)
      out_.note(grouped_count(again_, "job") +
                " of several attempts, as one run from the first start to the last end");
    return std::move(out_).finish();
  }

 private:
  void read_job(std::string_view text) {
    const Json job = Json::parse(text, nullptr, false);
    if (job.is_discarded()) fail("a job that is no JSON");
    const Json& attempts = member(job, "attempts");
    if (!attempts.is_array()) fail("attempts: no array");
    if (attempts.empty()) {
      out_.leave_out(kUnfinished);
      return;
    }
    const std::int64_t devices = devices_of(attempts.front());
    const auto start = time(attempts.front(), "start_time");
    const auto end = time(attempts.back(), "end_time");
    if (!start || !end) {
      out_.leave_out(kUnfinished);
    } else if (devices == 0) {
      out_.leave_out(kWithoutDevices);
    } else {
      if (attempts.size() > 1) {
        require_order(attempts);
        ++again_;
      }
      add(job, {submission(job), *start, *end}, devices);
    }
  }

  /// One after the other, as far as they have times. They have no zone: an hour came twice on 5 November
  /// 2017.
  void require_order(const Json& attempts) const {
    constexpr double kClockTurned_s = 3600;
    double last = 0;  // end of those before
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const auto start = time(attempts[i], "start_time");
      const auto end = time(attempts[i], "end_time");
      if (start && *start < last - kClockTurned_s)
        fail(fmt::format("start_time: attempt {} begins {} s before the one before it ends", i + 1,
                         last - *start));
      if (start && end && *end < *start - kClockTurned_s)
        fail(fmt::format("end_time: attempt {} ends {} s before it begins", i + 1, *start - *end));
      last = std::max({last, start.value_or(0), end.value_or(0)});
    }
  }

  void add(const Json& job, const RecordedTimes& times, std::int64_t devices) {
    if (times.start < times.submit)
      fail(fmt::format("start_time: the job begins {} s before it is submitted", times.submit - times.start));
    if (times.end < times.start)
      fail(fmt::format("end_time: the job ends {} s before it begins", times.start - times.end));
    out_.add(recorded_job(word(job, "jobid"), word(job, "user"), times, devices, objects_.line()));
  }

  double submission(const Json& job) const {
    const auto submit = time(job, "submitted_time");
    if (!submit) {
      const std::string text = word(job, "submitted_time");
      fail(text.empty() ? "submitted_time is empty"
                        : fmt::format("submitted_time: {} is no time", trainyard::quoted(text)));
    }
    return *submit;
  }

  std::int64_t devices_of(const Json& attempt) const {
    std::int64_t devices = 0;
    const Json& detail = member(attempt, "detail");
    if (!detail.is_array()) fail("detail: no array");
    for (const Json& server : detail) {
      const Json& gpus = member(server, "gpus");
      if (!gpus.is_array()) fail("gpus: no array");
      devices += static_cast<std::int64_t>(gpus.size());
    }
    return devices;
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(fmt::format("'{}' is missing", key));
    return object.at(key);
  }

  std::string word(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
  }

  /// Nothing where it is null, "" or "None".
  std::optional<double> time(const Json& object, const char* key) const {
    const std::string text = word(object, key);
    if (is_missing(text)) return std::nullopt;
    const auto value = calendar_seconds(trimmed(text).substr(0, kDateAndTime));
    if (!value) fail(fmt::format("{}: {} is no time", key, trainyard::quoted(text)));
    return value;
  }

  [[noreturn]] void fail(const std::string& message) const {
    fail_input({source_, objects_.line(), objects_.column()}, message, kSkipHelp);
  }

  static constexpr std::size_t kDateAndTime = 19;  // behind it may stand PST or PDT

  std::shared_ptr<const SourceText> source_;
  Objects objects_;
  JobCollector out_;
  std::int64_t again_ = 0;
};

}  // namespace

JobImporterParts philly_importer() {
  return {[](const JobFile& file) { return !file.first.empty() && file.first.front().starts_with('['); },
          [](const JobFile& file) { return PhillyJobs(file).read(); }};
}

}  // namespace trainyard
