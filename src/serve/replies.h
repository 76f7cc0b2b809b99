// What is answered at once, without a worker: documents, files of the page, jobs, reports.
#pragma once

#include <string>
#include <string_view>

#include "serve/house.h"
#include "serve/jobs.h"

namespace trainyard::serving {

constexpr std::string_view kJson = "application/json";

struct Demand {
  bool gets = false;      // as opposed to posts
  std::string_view path;  // without what follows a question mark
  const std::string& body;
};

struct Reply {
  unsigned status = 0;
  std::string_view type = kJson;
  std::string body;
  bool is_report = false;
};

/// The question that a worker answers at this path; none: nothing.
const QuestionKind* question_of(std::string_view path);

Reply reply_to(const Demand& demand, House& house, Jobs& jobs);

}  // namespace trainyard::serving
