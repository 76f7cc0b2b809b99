#include "base/comparison_text.h"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

#include "base/foreign_text.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// "days <= 600": the name says the unit of a bare number.
ComparisonText with_unit_of_name(ComparisonText read) {
  const std::string days = read.value + " days";
  const bool bare = parse_quantity(read.value + " s", Unit::seconds).error.empty();
  if (read.name == "days" && bare) read.value = days;
  return read;
}

}  // namespace

ComparisonText comparison_text(std::string_view text, bool may_be_equal) {
  using enum ComparisonText::Sign;
  for (const auto& [word, sign] :
       {std::pair{std::string_view("<="), at_most}, std::pair{std::string_view(">="), at_least}}) {
    const std::size_t at = text.find(word);
    if (at != std::string_view::npos)
      return with_unit_of_name({std::string(trimmed(text.substr(0, at))), sign,
                                std::string(trimmed(text.substr(at + word.size())))});
  }
  const std::size_t at = may_be_equal ? text.find('=') : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  return with_unit_of_name(
      {std::string(trimmed(text.substr(0, at))), equal, std::string(trimmed(text.substr(at + 1)))});
}

double compared_value(const std::string& value, Unit unit, const std::string& text,
                      const std::string& where) {
  const bool plain = unit == Unit::number || unit == Unit::count || unit == Unit::fraction;
  // A number without a unit is read as one of seconds, whose base unit is one.
  const ParsedQuantity parsed =
      plain ? parse_quantity(value + " s", Unit::seconds) : parse_quantity(value, unit);
  if (!parsed.error.empty())
    fail_input(whole(where), fmt::format("\"{}\": '{}' is no value of it", text, value),
               plain ? "allowed: a number" : "allowed: a number with one of " + unit_names(unit));
  return parsed.si;
}

}  // namespace trainyard
