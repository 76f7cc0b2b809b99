// What text, pages and JSON say of failures and spare servers.
#pragma once

#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct GoodputAnswer;
struct GoodputForm;
struct OperationAnswer;
struct OwnershipAnswer;
struct TrainingForm;
struct Scenario;

/// The period that is simulated: in days, where it has one.
std::string period_words(const GoodputAnswer& answer);

/// Why fewer spare servers would train more; empty where the question's own pay.
std::string better_without_words(const GoodputAnswer& answer);

/// Of a time that only failures give: "none" where nothing fails.
std::string time_words(const GoodputForm& form, Seconds time);

/// How far days to the target are not the mean of all runs; empty where they are.
std::string target_words(const GoodputAnswer& answer);

/// Of training that ends although servers run out in the long run, so that not every run does; else empty.
std::string servers_words(const TrainingForm& training);

/// Of answers that count failures at default rates; empty where the scenario has [resilience].
std::string default_rates_words(const Scenario& scenario);

/// The same of hours, and whether not all runs end.
std::string failures_of_hours_words(const Scenario& scenario, const OperationAnswer& answer);

/// The same of years; that failures are not counted, where they could not be.
std::string failures_of_years_words(const Scenario& scenario, const OwnershipAnswer& answer);

/// Why the answer of years watches no ports.
std::string no_watches_words(const OwnershipAnswer& answer);
/// Whose ports they are, where phases have other devices; else nothing.
std::string watched_words(const OwnershipAnswer& answer);

/// The words after what parts them from others; empty where there are none.
inline std::string words_after(const char* between, const std::string& words) {
  return words.empty() ? words : between + words;
}

}  // namespace trainyard
