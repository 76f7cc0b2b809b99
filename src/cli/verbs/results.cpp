// results: what searches kept.
#include "trainyard/report/results.h"

#include <string>
#include <vector>

#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/result_store.h"

namespace trainyard {
namespace {

struct ResultsOptions {
  std::string store;
  long long question = 0;  // 0: the list of questions
  unsigned most = 0;
  bool answers = false;
  std::vector<std::string> where;
  std::vector<long long> compared;
  Format format = Format::text;
};

void declare_results(Flags& flags, ResultsOptions& options) {
  flags.option("store", options.store, "a file that `trainyard search --resume` wrote").required().reads();
  const Flag question = flags.option("--question", options.question, "show the points of this question")
                            .within(1, 1'000'000'000);
  flags.option("--best", options.most, "only so many, the best").needs(question).within(1, 1'000'000'000);
  flags.flag("--answers", options.answers, "leave out points without a plan or beyond a limit")
      .needs(question);
  flags
      .option("--where", options.where,
              "points with this value of a free setting or measure: \"mapping.tensor=8\", \"days<=600\" "
              "(repeatable: all hold)")
      .repeatable()
      .needs(question);
  flags.option("--compare", options.compared, "two questions: where their answers differ")
      .values(2)
      .excludes(question);
  flags.formats(options.format);
}

std::string run_results(const ResultsOptions& options) {
  const ResultStore store = ResultStore::read(options.store);
  const bool for_people = options.format == Format::text;
  const StoredNumbers shown = for_people ? StoredNumbers::for_people : StoredNumbers::in_base_units;
  if (!options.compared.empty()) {
    const StoredAnswers a = stored_answers(store, options.compared[0]);
    const StoredAnswers b = stored_answers(store, options.compared[1]);
    if (options.format == Format::json) return stored_comparison_json(a, b);
    return in_format(stored_comparison_table(a, b, shown), options.format);
  }
  if (options.question == 0) {
    const std::vector<StoredQuestion> questions = store.questions();
    return in_format(for_people ? stored_questions_summary(questions) : stored_questions_table(questions),
                     options.format);
  }
  const StoredAnswers answers = stored_answers(store, options.question);
  const StoredFilter filter{options.most, options.answers, options.where};
  if (options.format == Format::json) return stored_points_json(answers, filter);
  return in_format(stored_points_table(answers, filter, shown), options.format);
}

}  // namespace

Verb results_verb() {
  return make_verb("results", "what searches kept in a file", declare_results, run_results);
}

}  // namespace trainyard
