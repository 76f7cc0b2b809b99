#include "results/stored_rows.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kObjectives = "{\"objectives\":[";
constexpr std::string_view kLimits = "],\"limits\":[";
constexpr std::string_view kEnd = "]}";
constexpr std::string_view kNone = "null";

void write_list(std::string& out, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    if (std::isfinite(numbers[i])) {
      fmt::format_to(std::back_inserter(out), "{}", numbers[i]);
    } else {
      out += kNone;
    }
  }
}

/// Reads what write_numbers writes, from its beginning.
class NumbersReader {
 public:
  explicit NumbersReader(std::string_view text) : rest_(text) {}

  void take(std::string_view words) {
    if (!rest_.starts_with(words)) throw BadRow("its numbers are none that a search writes");
    rest_.remove_prefix(words.size());
  }
  std::vector<double> list() {
    std::vector<double> out;
    while (!rest_.empty() && rest_.front() != ']') {
      if (!out.empty()) take(",");
      out.push_back(number());
    }
    return out;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  double number() {
    if (rest_.starts_with(kNone)) {
      rest_.remove_prefix(kNone.size());
      return std::numeric_limits<double>::quiet_NaN();
    }
    double out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc{} || !std::isfinite(out)) throw BadRow("one of its numbers is none");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return out;
  }

  std::string_view rest_;
};

std::vector<std::string> texts(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array()) throw BadRow(fmt::format("it lacks its {}", name));
  std::vector<std::string> out;
  for (const Json& text : *found) {
    if (!text.is_string()) throw BadRow(fmt::format("one of its {} is no text", name));
    out.push_back(text.get<std::string>());
  }
  return out;
}

std::vector<StoredSetting> settings(const Json& json) {
  const auto free = json.find("free");
  if (free == json.end() || !free->is_object() || free->empty()) throw BadRow("it lacks its free settings");
  std::vector<StoredSetting> out;
  for (const auto& [key, values] : free->items()) {
    out.push_back({key, texts(*free, key.c_str())});
    if (out.back().values.empty()) throw BadRow(fmt::format("its free setting {} has no value", key));
  }
  return out;
}

}  // namespace

std::string asked_text(const StoredAsked& asked) {
  Json free = Json::object();
  for (const StoredSetting& setting : asked.free) free[setting.key] = setting.values;
  Json out = {{"free", std::move(free)}, {"objectives", asked.objectives}, {"limits", asked.limits}};
  if (!asked.limited.empty()) out["limited"] = asked.limited;
  if (!asked.changes.empty()) out["set"] = asked.changes;
  return out.dump();
}

StoredAsked read_asked(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw BadRow("what it asks cannot be read");
  StoredAsked out;
  out.free = settings(json);
  out.objectives = texts(json, "objectives");
  if (out.objectives.empty()) throw BadRow("it has no objective");
  out.limits = texts(json, "limits");
  if (json.contains("limited")) out.limited = texts(json, "limited");
  if (json.contains("set")) out.changes = texts(json, "set");
  if (!out.limited.empty() && out.limited.size() != out.limits.size())
    throw BadRow("its limits and what they are about are not as many");
  return out;
}

double points_of(const StoredAsked& asked) {
  double out = 1;
  for (const StoredSetting& setting : asked.free) out *= static_cast<double>(setting.values.size());
  return out;
}

void write_numbers(std::string& out, const StoredPoint& point) {
  out += kObjectives;
  write_list(out, point.objectives);
  out += kLimits;
  write_list(out, point.limited);
  out += kEnd;
}

void read_numbers(std::string_view text, const StoredAsked& asked, StoredPoint& point) {
  NumbersReader read(text);
  read.take(kObjectives);
  point.objectives = read.list();
  read.take(kLimits);
  point.limited = read.list();
  read.take(kEnd);
  if (!read.at_end()) throw BadRow("something follows its numbers");
  const bool answers = point.outcome == StoredOutcome::answer;
  const std::size_t objectives = answers ? asked.objectives.size() : 0;
  if (point.objectives.size() != objectives)
    throw BadRow(fmt::format("{} objectives, where {} are asked for", point.objectives.size(), objectives));
  for (const double number : point.objectives) {
    if (std::isnan(number)) throw BadRow("an answer lacks an objective");
  }
  if (point.limited.size() != asked.limits.size())
    throw BadRow(fmt::format("{} limits, where {} are asked for", point.limited.size(), asked.limits.size()));
}

}  // namespace trainyard
