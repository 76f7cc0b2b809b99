#include "report/data/setting_words.h"

#include <set>

#include "report/data/json.h"
#include "report/data/show.h"

namespace trainyard {
namespace {

constexpr double kLarge = 1e5;  // below, digits are read as they are

bool is_large(const Json& value) { return value.is_number() && value.get<double>() >= kLarge; }

template <class Show>
std::vector<std::string> with_large(const std::vector<Json>& values, const Show& show_large) {
  std::vector<std::string> out;
  for (const Json& value : values)
    out.push_back(is_large(value) ? show_large(value.get<double>()) : setting_word(value));
  return out;
}

}  // namespace

std::vector<std::string> shown_values(const std::vector<std::string>& toml_values) {
  std::vector<Json> values;
  for (const std::string& toml : toml_values) values.push_back(setting_json(toml));
  std::vector<std::string> short_ones = with_large(values, [](double value) { return show_many(value); });
  const auto different = [](const std::vector<std::string>& texts) {
    return std::set<std::string>(texts.begin(), texts.end()).size();
  };
  if (different(short_ones) == different(toml_values)) return short_ones;
  return with_large(values, [](double value) { return grouped(value); });
}

}  // namespace trainyard
