// What the page asks, and the answers, by the library's entry points.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {
struct ServeOptions;
}  // namespace trainyard

namespace trainyard::serving {

class Teller;

struct Question {
  std::string kind;      // "plan"
  std::string body;      // JSON: name, text (TOML) and options of the kind
  std::string folder;    // where files that the scenario names have to lie; empty: none
  bool is_kept = false;  // with its answer, which then comes with its page
};

/// A kind of question.
struct QuestionKind {
  std::string_view name;
  bool is_long = false;  // works for minutes, and leaves a place for those that do not
};
const QuestionKind* find_kind(std::string_view name);

/// An answer of a verb as one HTML file.
struct ReportKind {
  const char* name;
  const char* sentence;
  const char* section;  // that the scenario has to have; "": none
};
std::vector<ReportKind> report_kinds();

/// Answers, whatever happens: errors are lines of the answer, too.
void answer_question(const Question& question, Teller& teller);

/// Reads the catalog as far as a plan needs it, so that the processes of questions have it from the
/// beginning.
void warm_up();

/// Settings, shipped scenarios and what this server is: JSON that needs no question.
std::string settings_document();
std::string scenarios_document();
std::string about_document(const ServeOptions& options);

}  // namespace trainyard::serving
