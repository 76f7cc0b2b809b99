// What text, pages and JSON say of spare servers.
#pragma once

#include <string>

namespace trainyard {

struct GoodputAnswer;

/// Why fewer spare servers would train more; empty where the question's own pay.
std::string better_without_words(const GoodputAnswer& answer);

}  // namespace trainyard
