#include "cli/new_scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

constexpr const char* kTopologies[] = {"fat_tree", "rail_optimized", "rail_only"};

constexpr std::pair<char, double> kSuffixes[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};

/// "1B" of 1e9: as it may be answered.
std::string with_suffix(double number) {
  const auto* suffix = std::find_if(std::rbegin(kSuffixes), std::rend(kSuffixes), [&](const auto& s) {
                         return number >= s.second;
                       }).base();
  if (suffix == std::begin(kSuffixes)) return fmt::format("{:.0f}", number);
  --suffix;
  return fmt::format("{:.0f}{}", number / suffix->second, suffix->first);
}

/// "15T", "3.5B", "16777216": a whole number as TOML writes it.
std::string whole_number(const std::string& flag, std::string text, double most) {
  const std::string given = text;
  constexpr double kRounding = 1e-12;  // 2.3M is whole
  double factor = 1;
  for (const auto& [suffix, times] : kSuffixes) {
    if (text.empty() || text.back() != suffix) continue;
    factor = times;
    text.pop_back();
    break;
  }
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const double value = std::round(number * factor);
  const bool is_whole = std::abs(number * factor - value) <= kRounding * value;
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 1) || value > most || !is_whole)
    fail_input(whole(flag), fmt::format("'{}' is no whole number from 1 to {}", given, with_suffix(most)),
               "for example 1024, 16M, 15T");
  return fmt::format("{:.0f}", value);
}

/// The domain of that key, or the only usual one of an accelerator of that key.
std::string domain_named(const Catalog& catalog, const std::string& name) {
  if (catalog.hb_domains.contains(name)) return name;
  for (const auto& [key, domain] : catalog.hb_domains) {
    if (domain.accelerator == name) return key;
  }
  std::vector<std::string> known = catalog.hb_domains.keys();
  for (const auto& [key, domain] : catalog.hb_domains) known.push_back(domain.accelerator);
  fail_input(whole("--accelerators"), "no HB domain or accelerator '" + name + "'", suggestion(name, known));
}

std::string rate_text(const std::string& text) {
  const ParsedQuantity rate = parse_quantity(text, Unit::bits_per_second);
  if (!rate.error.empty()) fail_input(whole("--rate"), rate.error, "for example 400 Gbps");
  if (rate.si <= 0) fail_input(whole("--rate"), "'" + text + "' is no rate", "more than 0");
  return exact_quantity(rate.si, Unit::bits_per_second);
}

std::string one_of_names(const char* flag, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  fail_input(whole(flag), "there is no '" + name + "'", suggestion(name, known));
}

}  // namespace

std::deque<Question> questions_of(const Catalog& catalog, NewScenario& s) {
  constexpr double kMostDevices = 1e9;
  constexpr double kMostTokens = 1e18;
  const auto number = [](const char* flag, std::string& out, double most) {
    return [flag, &out, most](const std::string& a) { return out = whole_number(flag, a, most); };
  };
  std::deque<Question> questions;
  questions.push_back({"--accelerators", "Which accelerators, or HB domain of them?", "dgx-h100", "",
                       catalog.hb_domains.keys(),
                       [&](const std::string& a) { return s.domain = domain_named(catalog, a); }});
  questions.push_back(
      {"--devices", "How many?", "1024", "", {}, number("--devices", s.devices, kMostDevices)});
  const auto models = catalog.models.keys();
  questions.push_back(
      {"--model", "Which model?", "llama3-70b", "", models,
       [&s, models](const std::string& a) { return s.model = one_of_names("--model", a, models); }});
  questions.push_back({"--tokens",
                       "On how many tokens is it trained (as 15T)?",
                       "",
                       "as the catalog says",
                       {},
                       number("--tokens", s.tokens, kMostTokens)});
  questions.push_back({"--batch-tokens",
                       "Tokens of a batch (as 16M)?",
                       "",
                       "the model's own",
                       {},
                       number("--batch-tokens", s.batch_tokens, kMostTokens)});
  questions.push_back({"--rate",
                       "Network rate of an accelerator (as 400 Gbps)?",
                       "",
                       "that of its NICs",
                       {},
                       [&](const std::string& a) { return s.rate = rate_text(a); }});
  const std::vector<std::string> topologies(std::begin(kTopologies), std::end(kTopologies));
  questions.push_back({"--topology", "Which network?", "rail_optimized", "", topologies,
                       [&s, topologies](const std::string& a) {
                         return s.topology = one_of_names("--topology", a, topologies);
                       }});
  return questions;
}

void take(Question& question, const std::string& answer) {
  const std::string& chosen = answer.empty() ? question.answer : answer;
  if (!chosen.empty()) question.answer = question.read(chosen);
}

std::string scenario_toml(const Catalog& catalog, const NewScenario& s) {
  const HbDomain& domain = catalog.hb_domains.at(s.domain);
  const std::string accelerator = catalog.accelerators.at(domain.accelerator).info.name;
  const std::string model = catalog.models.at(s.model).info.name;
  const auto setting = [](const std::string& key, const std::string& value, const char* otherwise,
                          const char* comment) {
    const std::string text =
        value.empty() ? std::string("# ") + key + " = " + otherwise : key + " = " + value;
    return fmt::format("{:<32}# {}\n", text, comment);
  };
  std::string out =
      "# Written by `trainyard new`. A line with # before its key has the default; every setting:\n"
      "# `trainyard describe`, those of a section: `trainyard describe mapping`.\n";
  out += fmt::format("title = \"{} on {} {}\"\n\n[facility]\n", model, s.devices, accelerator);
  out += setting("devices", s.devices, "", "rounded up to whole HB domains");
  out += setting("hb_domain", '"' + s.domain + '"', "", "`trainyard catalog list hb_domains`");
  out += "\n[network]\n";
  out += setting("scale_out_rate", s.rate.empty() ? "" : '"' + s.rate + '"', "\"400 Gbps\"",
                 "of an accelerator, one direction; else that of its NICs");
  out += "\n[model]\n" + setting("name", '"' + s.model + '"', "", "`trainyard catalog list models`");
  out += "\n[training]\n" + setting("tokens", s.tokens, "15000000000000", "else as the catalog says");
  out += setting("batch_tokens", s.batch_tokens, "16777216", "of one optimizer step; else the model's own");
  out += "\n[mapping]                       # what is silent here is chosen: the fastest that fits\n";
  out += setting("tensor", "", "8", "devices that share a layer");
  out += setting("pipeline", "", "4", "stages");
  out += "\n[[design]]                      # for `trainyard network` and `trainyard simulate`\n";
  out += setting("name", "\"network\"", "", "any name");
  out += setting("topology", '"' + s.topology + '"', "", "fat_tree, rail_optimized, rail_only, ...");
  out += setting("switch", "\"tomahawk5\"", "", "`trainyard catalog list switches`");
  return out;
}

}  // namespace trainyard
