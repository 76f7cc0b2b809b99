// What text, pages and JSON say of failures and spare servers.
#pragma once

#include <string>

namespace trainyard {

struct GoodputAnswer;
struct Scenario;

/// Why fewer spare servers would train more; empty where the question's own pay.
std::string better_without_words(const GoodputAnswer& answer);

/// Of answers that count failures only with [resilience]; empty where there is.
std::string no_failures_words(const Scenario& scenario);

}  // namespace trainyard
