// search: the best values of the settings that a scenario leaves free.
#include "trainyard/report/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/commit.h"
#include "cli/loading.h"
#include "cli/outcomes.h"
#include "cli/progress.h"
#include "cli/run_cost.h"
#include "cli/shares.h"
#include "cli/verb.h"
#include "trainyard/assignment_text.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/printable.h"
#include "trainyard/provenance.h"
#include "trainyard/ranks.h"
#include "trainyard/result_store.h"
#include "trainyard/scenario/search.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

struct SearchOptions : ScenarioOptions {
  std::string objective;
  std::vector<std::string> front;
  std::vector<std::string> limits;
  unsigned ranked = 0;          // 0: as the scenario says
  unsigned long long most = 0;  // 0: as a question has it
  std::string method;
  unsigned evaluations = 0;  // 0: as the scenario says
  std::string seed;          // the same where it is empty
  unsigned threads = 1;
  std::vector<std::string> why_not;
  bool sensitivity = false;
  std::vector<std::string> what_if;
  std::string store;
  std::string share;
  std::string report;  // --report FILE
};

void declare_search(Flags& flags, SearchOptions& options) {
  flags.scenario(options);
  flags.option("--objective", options.objective, "what is best (default: search.objective, or days)");
  flags.option("--front", options.front, "a further objective, for a Pareto front (repeatable)").repeatable();
  flags.option("--limit", options.limits, "what answers keep: \"power <= 30 MW\" (repeatable)").repeatable();
  flags.option("--ranked", options.ranked, "how many of the best are listed (10)").within(1, 10'000);
  flags.option("--space", options.most, "most points of an exhaustive search (100,000,000)").at_least(1);
  flags
      .option("--method", options.method,
              "auto (every point where the space is small enough, else evolution), exhaustive or evolution")
      .one_of({"auto", "exhaustive", "evolution"});
  flags.option("--evaluations", options.evaluations, "points that an evolution may plan (1,000,000)")
      .within(100, 20'000'000);
  flags.option("--seed", options.seed, "of an evolution (1)").seed();
  flags.threads(options.threads, "threads that plan (1); the answer is the same");
  const Flag store = flags
                         .option("--resume", options.store,
                                 "keep every point in this file (SQLite), and go on from those that it has")
                         .keeps_store();
  flags
      .option("--share", options.share,
              "K/N: plan this share of the points into a store of its own, STORE.K-of-N (default: what a "
              "Slurm job array says)")
      .needs(store);
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
  flags
      .option("--why-not", options.why_not,
              "free settings with values, as mapping.tensor=4: what is the best with "
              "them? (repeatable: all together)")
      .repeatable();
  flags.flag("--sensitivity", options.sensitivity,
             "whether the best changes within the error bars of accelerators and programs, and at "
             "both ends of what is assumed (catalog list assumptions)");
  flags
      .option("--what-if", options.what_if,
              "the same, and whether it changes where a setting is otherwise: "
              "network.scale_out_efficiency=0.8 (repeatable)")
      .repeatable();
}

SearchMethod method_named(const std::string& name) {
  if (name == "exhaustive") return SearchMethod::exhaustive;
  return name == "evolution" ? SearchMethod::evolution : SearchMethod::automatic;
}

/// The scenario's [search] with the command line's flags on top.
SearchInput input_of(const ScenarioText& text, const SearchOptions& options) {
  SearchInput input = text.search();
  if (!options.objective.empty()) input.objective = options.objective;
  if (!options.front.empty()) input.front = options.front;
  if (!options.limits.empty()) input.limits = options.limits;
  if (options.ranked > 0) input.ranked = options.ranked;
  if (!options.method.empty()) input.method = method_named(options.method);
  if (options.evaluations > 0) input.evaluations = options.evaluations;
  if (!options.seed.empty()) input.seed = std::stoll(options.seed);  // checked
  return input;
}

/// The question; errors about what a flag gives in the scenario's place name the flag.
SearchQuestion question_of(const ScenarioText& text, const SearchOptions& options) {
  try {
    return search_question(text, input_of(text, options));
  } catch (const InputError& error) {
    std::vector<Finding> findings = error.findings();
    for (Finding& finding : findings) {
      const std::string setting = finding.where.source ? finding.where.source->name : std::string();
      if (setting == "search.objective" && !options.objective.empty()) finding.where = whole("--objective");
      if (setting == "search.front" && !options.front.empty()) finding.where = whole("--front");
      if (setting == "search.limits" && !options.limits.empty()) finding.where = whole("--limit");
    }
    throw InputError(std::move(findings));
  }
}

/// Refuses what the method has no use for.
void check_method(const SearchQuestion& question, const SearchOptions& options) {
  const bool is_exhaustive = question.method == SearchMethod::exhaustive;
  for (const auto& [given, flag] :
       {std::pair{!options.seed.empty(), "--seed"}, std::pair{options.evaluations > 0, "--evaluations"}}) {
    if (given && is_exhaustive)
      fail_input(whole(flag), "an exhaustive search plans every point, and draws none",
                 "--method auto or evolution");
  }
  if (options.most > 0 && question.method == SearchMethod::evolution)
    fail_input(whole("--space"), "limits exhaustive searches alone", "--evaluations, or --method auto");
}

SearchResult run(const ScenarioText& text, SearchQuestion question) {
  ProgressLine line;
  const SearchMeasure objective = question.objectives.front();
  question.progress = [&](std::uint64_t done, std::uint64_t points, std::optional<double> best) {
    line.show([&](Seconds wall) {
      const double rate = static_cast<double>(done) / wall.si();
      return search_progress_text(objective, {done, points, best, rate});
    });
  };
  return search(text, question);
}

/// The same, with a store of results where one is named; rank 0 has it.
SearchResult run_kept(const ScenarioText& text, SearchQuestion question, const std::string& path) {
  if (path.empty() || (question.ranks && !question.ranks->leads())) return run(text, std::move(question));
  ResultStore store = ResultStore::open(path);
  if (question.share.of == 1) {
    for (const std::string& share : stores_beside(path)) {
      store.take_over(share);
      std::fprintf(stderr, "store: takes over %s\n", printable(share).c_str());
    }
  }
  question.store = &store;
  question.version = program_version() + " " + build_commit();
  SearchResult result = run(text, std::move(question));
  store.flush();
  return result;
}

/// The space with the values that --why-not gives.
WhyNot why_not(const ScenarioText& text, SearchQuestion question, const std::vector<std::string>& settings) {
  WhyNot out;
  for (const std::string& setting : settings) {
    const auto sides = assignment_text(setting);
    if (!sides) fail_input(whole("--why-not " + setting), "expected key=value");
    question.fixed.emplace_back(sides->key, sides->value);
    const auto& [key, value] = question.fixed.back();
    out.settings += (out.settings.empty() ? "" : ", ") + key + "=" + value;
  }
  out.result = run(text, std::move(question));
  return out;
}

/// What `trainyard plan` is given to ask for a point of this search, beside the point's settings.
std::vector<std::string> plan_words(const ScenarioText& text, const SearchOptions& options) {
  std::vector<std::string> out = {options.scenario};
  for (const std::string& folder : options.catalog_folders) out.insert(out.end(), {"--catalog", folder});
  const std::vector<FreeSetting> free = free_settings(text);
  for (const std::string& change : options.sets) {
    const auto sides = assignment_text(change);
    if (std::none_of(free.begin(), free.end(), [&](const FreeSetting& s) { return s.key == sides->key; }))
      out.insert(out.end(), {"--set", change});
  }
  return out;
}

std::string in_format(const SearchAnswer& answer, const SearchOptions& options,
                      const Provenance& provenance) {
  if (options.format == Format::json) return search_json(answer, provenance);
  if (options.format == Format::csv) return search_csv(answer);
  return search_text(answer);
}

SearchCost cost_of(const Stopwatch& watch, const SearchOptions& options, const Ranks* ranks) {
  SearchCost out{used().cpu, watch.passed(), options.threads};
  if (!ranks) return out;
  out.processor += Seconds(ranks->others_cpu_s());
  out.ranks = static_cast<unsigned>(ranks->count());
  return out;
}

/// A share of the points, for a later run without one.
std::string run_share(const ScenarioText& text, const SearchQuestion& question,
                      const SearchOptions& options) {
  const Stopwatch watch;
  ShareAnswer answer{question.share, {}, store_of(options.store, question.share), {}};
  answer.result = run_kept(text, question, answer.store);
  if (question.ranks && !question.ranks->leads()) return {};
  answer.cost = cost_of(watch, options, question.ranks);
  return options.format == Format::json ? search_share_json(answer) : search_share_text(answer);
}

void check_report(const SearchOptions& options) {
  if (options.report.empty()) return;
  if (!options.store.empty() && is_share_of(options.store, options.report))
    fail_input(whole(options.report), "is where --resume keeps a share of the points",
               "give it a file of its own");
  check_writable(options.report);
}

Infeasible no_answer(const SearchResult& result) {
  if (result.method != SearchMethod::evolution)
    return {"a point of the space", "none is an answer", "more values, or weaker limits"};
  std::string remedy = "narrower ranges of the settings that the reasons name";
  const std::vector<LossReason>& reasons = result.losses.reasons;
  if (!reasons.empty() && reasons.front().help.starts_with("allowed: "))
    remedy += " (for the most frequent one " + reasons.front().help + ")";
  return {"a point of the space", fmt::format("none of the {} sampled is an answer", result.points),
          remedy + ", more --evaluations, or weaker limits"};
}

std::string run_search(const SearchOptions& options, Ranks* ranks) {
  const ScenarioText text = load(options);
  check_report(options);
  SearchAnswer answer;
  answer.title = printable(text.title());
  answer.question = question_of(text, options);
  check_method(answer.question, options);
  for (const std::string& change : options.sets) answer.question.changes.push_back(printable(change));
  if (options.most > 0) answer.question.most = options.most;
  answer.question.threads = options.threads;
  answer.question.ranks = ranks;
  if (!options.store.empty()) answer.question.share = share_of(options.share);
  if (answer.question.share.of > 1) return run_share(text, answer.question, options);
  const Stopwatch watch;
  answer.result = run_kept(text, answer.question, options.store);
  if (!options.why_not.empty()) answer.why_not.push_back(why_not(text, answer.question, options.why_not));
  if (ranks && !ranks->leads()) return {};
  const bool asks = options.sensitivity || !options.what_if.empty();
  if (asks && !answer.result.ranked.empty())
    answer.sensitivity =
        search_sensitivity(text, answer.question, answer.result, options.what_if, options.sensitivity);
  answer.cost = cost_of(watch, options, ranks);
  if (!options.report.empty())
    write_announced("report", options.report, search_page(answer, text, plan_words(text, options)));
  std::string output = in_format(answer, options, provenance_of(text));
  if (answer.result.ranked.empty()) throw UnmetAnswer(no_answer(answer.result), output);
  return output;
}

}  // namespace

Verb search_verb() {
  return make_verb("search", "the best values of the settings that are left free", declare_search,
                   run_search);
}

}  // namespace trainyard
