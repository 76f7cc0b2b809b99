#include "serve/questions.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "serve/ask.h"
#include "serve/serve.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/report/tables.h"

namespace trainyard::serving {
namespace {

struct Row {
  QuestionKind kind;
  Answering answer;
};

constexpr std::array kRows = {
    Row{{"plan", false}, answer_plan},       Row{{"networks", false}, answer_networks},
    Row{{"goodput", false}, answer_goodput}, Row{{"site", false}, answer_site},
    Row{{"sweep", true}, answer_sweep},      Row{{"step", true}, answer_step},
    Row{{"search", true}, answer_search},    Row{{"simulate", true}, answer_simulate},
    Row{{"report", true}, answer_report},
};

const Row& row_of(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.kind.name == name) return row;
  }
  fail_input(whole("question"), "there is no such kind");
}

/// Names that a setting may have from the catalog: accelerators' domains, models, switches.
Json names_of_catalog() {
  const auto catalog = shipped_catalog();
  const auto keys = [](const auto& entries) { return Json(entries.keys()); };
  return {{"facility.hb_domain", keys(catalog->hb_domains)},
          {"model.name", keys(catalog->models)},
          {"design.switch", keys(catalog->switches)},
          {"training.software", keys(catalog->software)}};
}

}  // namespace

const QuestionKind* find_kind(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.kind.name == name) return &row.kind;
  }
  return nullptr;
}

void answer_question(const Question& question, Teller& teller) {
  std::optional<Ask> ask;
  try {
    ask.emplace(question.body, question.folder);
    row_of(question.kind).answer(*ask, teller);
  } catch (const InputError& error) {
    teller.findings(ask ? ask->text().placed(error.findings()) : error.findings());
  } catch (const LeftFree& free) {
    teller.left_free(free.settings);
  } catch (const Infeasible& answer) {
    teller.infeasible(answer);
  } catch (const std::bad_alloc&) {
    teller.failed("it needs more memory than a question may have (trainyard serve --memory)");
  } catch (const std::exception& error) {
    teller.failed(error.what());
  }
}

void warm_up() { make_plan(ScenarioText::load("llama3-405b").resolve()); }

std::string settings_document() {
  Json out;
  out["schema"] = Json::parse(scenario_schema());
  out["settings"] = Json::parse(table_json(settings_table("")));
  out["names"] = names_of_catalog();
  return out.dump();
}

std::string scenarios_document() {
  Json out = Json::array();
  for (const ShippedScenario& s : shipped_scenarios()) {
    out.push_back({{"name", s.name}, {"title", s.title}, {"text", s.text}, {"leaves_free", s.leaves_free}});
  }
  return out.dump();
}

std::string about_document(const ServeOptions& options) {
  Json reports = Json::array();
  for (const ReportKind& kind : report_kinds())
    reports.push_back({{"name", kind.name}, {"sentence", kind.sentence}, {"section", kind.section}});
  const Json out = {
      {"version", program_version()},        {"time_s", options.time.si()},
      {"memory_bytes", options.memory.si()}, {"has_folder", !options.folder.empty()},
      {"reports", std::move(reports)},       {"threads", std::max(1U, std::thread::hardware_concurrency())}};
  return out.dump();
}

}  // namespace trainyard::serving
