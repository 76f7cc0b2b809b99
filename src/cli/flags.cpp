#include "cli/flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <type_traits>
#include <utility>

#include "cli/offers.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/result_store.h"

namespace trainyard {

Flag Flag::required(bool is_required) const {
  option_->required(is_required);
  entry_->required = is_required;
  return *this;
}

Flag Flag::repeatable() const {
  option_->allow_extra_args(false);
  entry_->repeatable = true;
  flags_->repeated_.push_back(option_);
  return *this;
}

Flag Flag::list() const {
  option_->delimiter(',');
  flags_->lists_.push_back(option_);
  return *this;
}

Flag Flag::values(int count) const {
  option_->expected(count);
  entry_->values = count;
  return *this;
}

Flag Flag::needs(const Flag& other) const {
  option_->needs(other.option_);
  entry_->needs.push_back(other.entry_->name);
  return *this;
}

Flag Flag::excludes(const Flag& other) const {
  option_->excludes(other.option_);
  entry_->excludes.push_back(other.entry_->name);
  other.entry_->excludes.push_back(entry_->name);
  return *this;
}

Flag Flag::excludes(std::initializer_list<Flag> others) const {
  for (const Flag& other : others) excludes(other);
  return *this;
}

Flag Flag::one_of(std::initializer_list<const char*> names) const {
  entry_->allowed.assign(names.begin(), names.end());
  option_->check([allowed = entry_->allowed](const std::string& text) {
    const bool known = std::find(allowed.begin(), allowed.end(), text) != allowed.end();
    return known ? std::string() : fmt::format("no choice '{}': {}", text, suggestion(text, allowed));
  });
  return *this;
}

Flag Flag::within(unsigned low, unsigned high) const {
  *entry_->bounds = {low, high};
  return *this;
}

Flag Flag::at_least(unsigned low) const {
  entry_->bounds->least = low;
  return *this;
}

Flag Flag::not_negative() const {
  option_->check([](const std::string& text) {
    const bool negative = text.starts_with('-') && text.find_first_of("123456789") < text.find_first_of("eE");
    return negative ? fmt::format("{} is below 0", text) : std::string();
  });
  return *this;
}

Flag Flag::seed() const {
  option_->check([](const std::string& value) {
    constexpr std::uint64_t kMost = 9'000'000'000'000'000;  // as fields have it: exact as a double
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seed);
    const bool whole = error == std::errc{} && end == value.data() + value.size();
    return whole && seed <= kMost ? std::string()
                                  : fmt::format("'{}' is no seed; allowed: a whole number, 0 to 9e15", value);
  });
  return *this;
}

Flag Flag::check(const Check& check) const {
  option_->check(check);
  return *this;
}

Flag Flag::reads(const char* rewritten_by) const {
  flags_->inputs_.push_back({option_, rewritten_by, false});
  return called("FILE");
}

Flag Flag::writes() const {
  flags_->outputs_.push_back({option_, "", false});
  return called("FILE");
}

Flag Flag::keeps_store() const {
  flags_->outputs_.push_back({option_, "", true});
  return called("FILE");
}

Flag Flag::makes_folder() const {
  option_->check([](const std::string& value) {
    return value == "-" ? std::string("'-' is no folder; ./- is one of this name") : std::string();
  });
  return called("DIR");
}

Flag Flag::called(const char* value) const {
  using enum FlagEntry::Takes;
  entry_->value = value;
  entry_->takes = entry_->value == "FILE" ? file : entry_->value == "DIR" ? folder : text;
  return *this;
}

Flag Flag::offers_pairs(const std::function<std::vector<std::string>()>& words) const {
  entry_->pairs = words;
  return *this;
}

Flag Flag::offers(const std::function<std::vector<std::string>()>& values) const {
  entry_->offers = values;
  return *this;
}

Flag Flag::may_be_bare(bool& given) const {
  option_->expected(0, 1);
  flags_->bare_.push_back({option_, &given});
  return *this;
}

Flag Flag::prints_file() const {
  flags_->printed_files_.push_back(option_);
  return *this;
}

namespace {

template <class T>
struct ElementOf {
  using type = T;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using type = T;
};
template <class T>
struct ElementOf<std::optional<T>> {
  using type = T;
};

/// " from 1 to 64"; what the machine's numbers end at is nobody's bound.
template <class T>
std::string range_text(const FlagEntry::Bounds& allowed) {
  using Limits = std::numeric_limits<T>;
  if (!std::cmp_equal(allowed.most, Limits::max()))
    return fmt::format(" from {} to {}", allowed.least, allowed.most);
  const bool is_any = Limits::is_signed && std::cmp_equal(allowed.least, Limits::min());
  return is_any ? std::string() : fmt::format(" of {} or more", allowed.least);
}

/// What is wrong with one value, or nothing. The library that reads the command line takes "" for no value,
/// "-1" for a large number and "nan" for a number.
template <class T>
std::string complaint(const std::string& text, const FlagEntry::Bounds& allowed) {
  if (text.empty()) return "the value is empty";
  if constexpr (std::is_arithmetic_v<T>) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if constexpr (std::is_integral_v<T>) {
      if (!whole || std::cmp_less(number, allowed.least) || std::cmp_greater(number, allowed.most))
        return fmt::format("'{}' is no whole number{}", text, range_text<T>(allowed));
    } else if (!whole || !std::isfinite(number)) {
      return fmt::format("'{}' is no finite number", text);
    }
  }
  return {};
}

/// Whether one of the values between commas is missing.
bool has_gap(const std::string& list) {
  return list.empty() || list.front() == ',' || list.back() == ',' || list.find(",,") != std::string::npos;
}

/// A number as one text for all ways to write it.
std::string worth_of(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  return whole ? fmt::format("{}", number) : value;
}

/// The first of the values between commas that stands before, or nothing.
std::string repeated_value(const std::string& list) {
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string value = list.substr(begin, end - begin);
    if (!seen.insert(worth_of(value)).second) return value;
    begin = end + 1;
  }
  return {};
}

}  // namespace

template <class T>
Flag Flags::option(const char* name, T& value, const char* sentence) {
  using Element = typename ElementOf<T>::type;
  CLI::Option* option = verb_->add_option(name, value, sentence);
  const auto bounds = std::make_shared<FlagEntry::Bounds>();
  option->check([bounds](const std::string& text) { return complaint<Element>(text, *bounds); });
  const Flag out = added(option,
                         std::is_integral_v<Element>         ? "N"
                         : std::is_floating_point_v<Element> ? "X"
                                                             : "TEXT",
                         FlagEntry::Takes::text);
  if constexpr (std::is_integral_v<Element>) {
    using Limits = std::numeric_limits<Element>;
    *bounds = {static_cast<std::int64_t>(Limits::min()), static_cast<std::uint64_t>(Limits::max())};
    entries_.back().bounds = bounds;
  }
  return out;
}
template Flag Flags::option(const char*, std::string&, const char*);
template Flag Flags::option(const char*, long long&, const char*);
template Flag Flags::option(const char*, unsigned long long&, const char*);
template Flag Flags::option(const char*, unsigned&, const char*);
template Flag Flags::option(const char*, double&, const char*);
template Flag Flags::option(const char*, std::optional<double>&, const char*);
template Flag Flags::option(const char*, std::vector<std::string>&, const char*);
template Flag Flags::option(const char*, std::vector<long long>&, const char*);
template Flag Flags::option(const char*, std::vector<std::int64_t>&, const char*);

Flag Flags::added(CLI::Option* option, const char* value, FlagEntry::Takes takes) {
  FlagEntry& entry = entries_.emplace_back();
  entry.name = option->get_name();
  entry.value = value;
  entry.sentence = option->get_description();
  entry.takes = takes;
  return {*this, option, entry};
}

Flag Flags::flag(const char* name, bool& value, const char* sentence) {
  return added(verb_->add_flag(name, value, sentence), "", FlagEntry::Takes::nothing);
}

Flag Flags::threads(unsigned& threads, const char* sentence) {
  constexpr unsigned kMostThreads = 1024;
  return option("--threads", threads, sentence).within(1, kMostThreads);
}

void Flags::formats(Format& format) {
  using enum FlagEntry::Takes;
  auto* json = verb_->add_flag_callback(
      "--json", [&format] { format = Format::json; }, "JSON, SI units in the names");
  auto* csv = verb_->add_flag_callback(
      "--csv", [&format] { format = Format::csv; }, "CSV, SI units in the names");
  const Flag as_json = added(json, "", nothing).prints_file();
  as_json.excludes(added(csv, "", nothing).prints_file());
}

Flag Flags::scenario(ScenarioOptions& options) {
  options.verb = verb_->get_name();
  const Flag scenario = option("scenario", options.scenario, "scenario file, or the name of a shipped one")
                            .reads()
                            .required()
                            .offers(scenario_names);
  option("--set", options.sets, "change a setting: section.key=value (repeatable)")
      .repeatable()
      .called("KEY=VALUE")
      .offers(setting_names)
      .offers_pairs(setting_choices);
  catalog_folders(options.catalog_folders, "folder of catalog files of your own (repeatable)");
  formats(options.format);
  return scenario;
}

Flag Flags::catalog_folders(std::vector<std::string>& folders, const char* sentence) {
  return option("--catalog", folders, sentence).reads().repeatable().called("DIR");
}

std::vector<NamedFile> Flags::files_of(const std::vector<FileOption>& options) {
  std::vector<NamedFile> files;
  for (const FileOption& file : options) {
    for (const std::string& path : file.option->results()) {
      files.push_back({file.option->get_name(), path, file.rewritten_by});
      if (!file.is_store) continue;
      for (const std::string& beside : files_beside_store(path))
        files.push_back({file.option->get_name(), beside, ""});
    }
  }
  return files;
}

void Flags::check_words(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const bool known = name.starts_with("--") && verb_->get_option_no_throw(name) != nullptr;
    if (!known) continue;
    if (equals + 1 == words[i].size()) fail_input(whole(name), "no value after '='", "see --help");
    const bool list = std::any_of(lists_.begin(), lists_.end(),
                                  [&](const CLI::Option* option) { return option->check_name(name); });
    if (!list) continue;
    const std::string values = equals != std::string::npos ? words[i].substr(equals + 1)
                               : i + 1 < words.size()      ? words[i + 1]
                                                           : std::string();
    if (has_gap(values))
      fail_input(whole(name), fmt::format("a value is missing in '{}'", values), "values between commas");
    if (const std::string twice = repeated_value(values); !twice.empty())
      fail_input(whole(name), fmt::format("'{}' stands twice", twice), "once each");
  }
}

bool Flags::answer_is_file() const {
  return is_file_ || std::any_of(printed_files_.begin(), printed_files_.end(),
                                 [](const CLI::Option* option) { return option->count() > 0; });
}

void Flags::note_bare() const {
  for (const BareOption& bare : bare_) *bare.given = bare.option->count() > 0;
}

void Flags::check_repeated() const {
  for (const CLI::Option* option : repeated_) {
    const std::string name = option->get_name();
    if (name == "--set") continue;  // a later one replaces an earlier one
    std::set<std::string> seen;
    for (const std::string& value : option->results())
      if (!seen.insert(worth_of(value)).second)
        fail_input(whole(name), fmt::format("'{}' stands twice", value), "once each");
  }
}

void Flags::check_files() const { check_apart(files_of(inputs_), files_of(outputs_)); }

}  // namespace trainyard
