// A question as the page sends it, and the kinds that answer it, by topic.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/teller.h"
#include "trainyard/free_setting.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
struct Plan;
}

namespace trainyard::serving {

using Json = nlohmann::ordered_json;

/// Thrown where a question that needs every value meets settings that are left to a search: no mistake of
/// anybody's.
struct LeftFree {
  std::vector<FreeSetting> settings;
};

/// The scenario that a question is about, with its options.
class Ask {
 public:
  Ask(const std::string& body, std::string folder);

  const ScenarioText& text() const { return text_; }
  /// Throws InputError and LeftFree; refuses files outside the folder.
  Scenario scenario() const;
  Plan plan() const;
  /// For pages that show a plan's warnings.
  Plan plan_as_stated() const;

  /// An option that is one of these; the first where it is absent.
  std::string choice(const char* name, const std::vector<const char*>& allowed) const;
  std::int64_t count(const char* name, std::int64_t least, std::int64_t most, std::int64_t usual) const;

 private:
  Json body_;
  std::string folder_;
  ScenarioText text_;
};

using Answering = void (*)(const Ask& ask, Teller& teller);

// plans.cpp
void answer_plan(const Ask& ask, Teller& teller);
void answer_networks(const Ask& ask, Teller& teller);
void answer_goodput(const Ask& ask, Teller& teller);
void answer_site(const Ask& ask, Teller& teller);
void answer_sweep(const Ask& ask, Teller& teller);

// runs.cpp
void answer_step(const Ask& ask, Teller& teller);
void answer_search(const Ask& ask, Teller& teller);
void answer_simulate(const Ask& ask, Teller& teller);

// pages.cpp
void answer_report(const Ask& ask, Teller& teller);

}  // namespace trainyard::serving
