#include "serve/replies.h"

#include "serve/page_files.h"
#include "serve/questions.h"
#include "serve/status.h"
#include "serve/teller.h"

namespace trainyard::serving {
namespace {

constexpr std::string_view kApiPath = "/api/";
constexpr std::string_view kJobsPath = "/api/jobs";
constexpr std::string_view kReportPath = "/report/";

bool is_of_jobs(std::string_view path) {
  return path.starts_with(kJobsPath) && (path.size() == kJobsPath.size() || path[kJobsPath.size()] == '/');
}

}  // namespace

const QuestionKind* question_of(std::string_view path) {
  return path.starts_with(kApiPath) ? find_kind(path.substr(kApiPath.size())) : nullptr;
}

Reply reply_to(const Demand& demand, House& house, Jobs& jobs) {
  if (demand.path.starts_with(kReportPath)) {
    std::string page = jobs.page(demand.path.substr(kReportPath.size()));
    if (!page.empty()) return {kOk, "text/html; charset=utf-8", std::move(page), true};
  }
  if (is_of_jobs(demand.path)) {
    const std::string_view rest = demand.path.substr(kJobsPath.size());
    JobReply reply = demand.gets ? jobs.get(rest) : jobs.post(rest, demand.body);
    return {reply.status, kJson, std::move(reply.body)};
  }
  if (demand.gets) {
    if (const std::string* document = house.document(demand.path)) return {kOk, kJson, *document};
    if (const ServedFile file = page_file(demand.path); !file.text.empty())
      return {kOk, file.type, std::string(file.text)};
  }
  return {kNotFound, kJson, failed_line("there is nothing at this path")};
}

}  // namespace trainyard::serving
