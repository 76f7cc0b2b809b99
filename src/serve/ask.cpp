#include "serve/ask.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/search.h"

namespace trainyard::serving {
namespace {

std::string text_of(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_string()) fail_input(whole(name), "is missing, or no text");
  return found->get<std::string>();
}

ScenarioText parsed(const Json& body) {
  if (!body.is_object()) fail_input(whole("question"), "is no JSON object");
  SourceText source{text_of(body, "name"), text_of(body, "text")};
  return ScenarioText::parse(std::make_shared<const SourceText>(std::move(source)));
}

/// Whether a path lies in the folder, symbolic links followed.
bool lies_in(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  if (folder.empty()) return false;
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  const fs::path full = fs::weakly_canonical(root / path, error);
  if (error) return false;
  const fs::path below = full.lexically_relative(root);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace

Ask::Ask(const std::string& body, std::string folder)
    : body_(Json::parse(body)), folder_(std::move(folder)), text_(parsed(body_)) {}

Scenario Ask::scenario() const {
  if (std::vector<FreeSetting> settings = free_settings(text_); !settings.empty())
    throw LeftFree{std::move(settings)};
  Scenario out = text_.resolve();
  if (!out.site.grid.empty() && !lies_in(out.site.grid, folder_)) {
    fail_input(whole("site.grid"), "the page may not read '" + out.site.grid + "'",
               folder_.empty() ? "trainyard serve --folder DIR opens a folder to it"
                               : "a folder below the one of trainyard serve --folder");
  }
  return out;
}

Plan Ask::plan() const { return make_plan(scenario()); }

Plan Ask::plan_as_stated() const { return trainyard::plan_as_stated(scenario()); }

std::string Ask::choice(const char* name, const std::vector<const char*>& allowed) const {
  const auto found = body_.find(name);
  if (found == body_.end()) return allowed.front();
  const std::string given = found->is_string() ? found->get<std::string>() : found->dump();
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const std::string& one : names) {
    if (one == given) return one;
  }
  fail_input(whole(name), "'" + given + "' is none of them", suggestion(given, names));
}

std::int64_t Ask::count(const char* name, std::int64_t least, std::int64_t most, std::int64_t usual) const {
  const auto found = body_.find(name);
  if (found == body_.end()) return usual;
  const std::string allowed = "allowed: " + std::to_string(least) + " to " + std::to_string(most);
  if (!found->is_number_integer()) fail_input(whole(name), "is no whole number", allowed);
  const auto value = found->get<std::int64_t>();
  if (value < least || value > most) fail_input(whole(name), found->dump() + " is out of range", allowed);
  return value;
}

}  // namespace trainyard::serving
