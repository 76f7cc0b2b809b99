// new: a scenario of one's own, from a few answers.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/loading.h"
#include "cli/new_scenario.h"
#include "cli/offers.h"
#include "cli/screen.h"
#include "cli/verb.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/printable.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr const char* kUsualFile = "scenario.toml";

struct NewOptions {
  std::string file;
  std::string accelerators;
  std::string devices;
  std::string model;
  std::string tokens;
  std::string batch_tokens;
  std::string rate;
  std::string topology;
};

std::vector<std::string> domain_names() {
  std::vector<std::string> names;
  for (const auto& [key, domain] : catalog_with({}).hb_domains) names.push_back(key);
  return names;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& [key, model] : catalog_with({}).models) names.push_back(key);
  return names;
}

void declare_new(Flags& flags, NewOptions& options) {
  flags.option("file", options.file, "file to write, which is not there yet (scenario.toml)").writes();
  flags
      .option("--accelerators", options.accelerators, "an HB domain or accelerator of the catalog (dgx-h100)")
      .called("KEY")
      .offers(domain_names);
  flags.option("--devices", options.devices, "how many (1024)").called("N");
  flags.option("--model", options.model, "a model of the catalog (llama3-70b)")
      .called("KEY")
      .offers(model_names);
  flags.option("--tokens", options.tokens, "on how many tokens it is trained, as 15T").called("N");
  flags.option("--batch-tokens", options.batch_tokens, "tokens of a batch, as 16M").called("N");
  flags.option("--rate", options.rate, "network rate of an accelerator, as '400 Gbps'").called("RATE");
  flags.option("--topology", options.topology, "its network: fat_tree, rail_optimized or rail_only")
      .called("NAME")
      .offers([] {
        return std::vector<std::string>{"fat_tree", "rail_optimized", "rail_only"};
      });
}

const std::string& given(const NewOptions& options, const std::string& flag) {
  if (flag == "--accelerators") return options.accelerators;
  if (flag == "--devices") return options.devices;
  if (flag == "--model") return options.model;
  if (flag == "--tokens") return options.tokens;
  if (flag == "--batch-tokens") return options.batch_tokens;
  return flag == "--rate" ? options.rate : options.topology;
}

/// Until an answer is valid. Throws InputError where there are no more answers.
void ask(Question& question) {
  if (!question.known.empty()) {
    std::string names;
    for (const std::string& name : question.known) names += (names.empty() ? "" : ", ") + name;
    remark(fmt::format("  ({})\n", names));
  }
  for (;;) {
    const std::string& otherwise = question.answer.empty() ? question.shown : question.answer;
    std::fprintf(stderr, "%s [%s] ", question.asks.c_str(), otherwise.c_str());
    std::fflush(stderr);
    std::string answer;
    if (!std::getline(std::cin, answer)) {
      std::fputc('\n', stderr);  // the question's line has no end yet
      fail_input(whole("trainyard new"), "the answers ended", "nothing was written; flags answer, too");
    }
    try {
      take(question, answer);
      return;
    } catch (const InputError& error) {
      remark(describe(error.findings()));
    }
  }
}

/// Throws what `trainyard plan` would.
void check_plan(const std::string& file, const std::string& toml) {
  const auto source = std::make_shared<const SourceText>(SourceText{file, toml});
  (void)make_plan(ScenarioText::parse(source).resolve());
}

std::string asked(std::deque<Question>& questions, const NewScenario& scenario, const Catalog& catalog,
                  const std::string& file) {
  for (;;) {
    for (Question& question : questions) ask(question);
    std::string toml = scenario_toml(catalog, scenario);
    try {
      check_plan(file, toml);
      return toml;
    } catch (const Infeasible& answer) {
      remark(fmt::format("infeasible: {}: {}\n{}\nOnce more; Enter keeps an answer.\n",
                         printable(answer.constraint), printable(answer.shortfall),
                         printable(answer.remedy)));
    }
  }
}

void check_free(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    fail_input(whole(file), "is there already", "another name: `new` writes over nothing");
  check_writable(file);
}

std::string run_new(const NewOptions& options) {
  const std::string file = options.file.empty() ? kUsualFile : options.file;
  check_free(file);
  const Catalog catalog = catalog_with({});
  NewScenario scenario;
  auto questions = questions_of(catalog, scenario);
  for (Question& question : questions) take(question, given(options, question.flag));
  const bool on_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
  std::string toml;
  if (on_terminal) {
    std::fputs("Enter takes what stands in brackets.\n", stderr);
    toml = asked(questions, scenario, catalog, file);
  } else {
    std::fputs("no terminal to ask on: flags and defaults answer\n", stderr);
    toml = scenario_toml(catalog, scenario);
    check_plan(file, toml);
  }
  check_free(file);  // nobody wrote it while questions were asked
  write_file(file, toml);
  return fmt::format("{} is written. What next:\n  trainyard plan {}\n  trainyard network {} --optimize\n",
                     file, file, file);
}

}  // namespace

Verb new_verb() {
  return make_verb("new", "ask what there is and what is trained, and write a scenario", declare_new,
                   run_new);
}

}  // namespace trainyard
