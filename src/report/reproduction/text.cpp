#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/reproduction/steps.h"
#include "trainyard/report/reproduction.h"

namespace trainyard {
namespace {

constexpr std::size_t kNoteColumns = 100;
constexpr std::size_t kIdColumns = 30;

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string verdict_text(const ReproducedRow& row) {
  switch (row.verdict) {
    case Verdict::ok:
      return "reproduced";
    case Verdict::differs:
      return "DIFFERS";
    case Verdict::missing:
      return "not yet";
  }
  return "not yet";
}

std::string tolerance_text(const ReproducedRow& row) {
  if (row.tolerance_pct) return fmt::format("{}%", *row.tolerance_pct);
  return row.relation == Relation::equal ? "bound" : std::string(relation_text(row.relation));
}

std::string row_text(const ReproducedRow& row, std::size_t id_width) {
  const std::string published = row.published ? short_number(*row.published) : "-";
  const std::string computed = row.computed ? short_number(*row.computed) : "-";
  const bool compared = row.computed && row.published;
  const std::string difference = compared ? fmt::format("{:+.2f}%", row.difference_pct()) : "-";
  const std::string step =
      row.step ? fmt::format("{:>11} {:>11} {:>+7.2f}% {:>+7.2f}%", short_number(row.step->simulated),
                             short_number(row.step->closed), row.step->apart_pct(), row.step->pace_pct)
               : "";
  const std::string text =
      fmt::format("{:<{}} {:<8} {:>11} {:>11} {:<7} {:>9} {:>7}  {:<10} {}", row.id, id_width,
                  row.where.substr(0, 8), published, computed, row.unit, difference,
                  row.published ? tolerance_text(row) : "-", verdict_text(row), step);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

/// Words wrapped to a width, each line after the indent.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::string out = indent;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + (end - at) > kNoteColumns && column > 0) {
      out += "\n" + indent;
      column = 0;
    }
    out += (column > 0 ? " " : "") + text.substr(at, end - at);
    column += end - at + 1;
    at = end + 1;
  }
  return out + "\n";
}

std::string counts_text(const std::vector<ReproducedRow>& rows) {
  int ok = 0;
  int differs = 0;
  int missing = 0;
  for (const ReproducedRow& row : rows) {
    ok += row.verdict == Verdict::ok;
    differs += row.verdict == Verdict::differs;
    missing += row.verdict == Verdict::missing;
  }
  std::string out =
      fmt::format("{} rows: {} reproduced, {} differ, {} not yet\n", rows.size(), ok, differs, missing);
  const auto steps =
      std::count_if(rows.begin(), rows.end(), [](const ReproducedRow& row) { return row.step.has_value(); });
  if (steps == 0) return out;
  double most = 0;
  for (const ReproducedRow& row : rows) {
    if (row.step) most = std::max({most, std::abs(row.step->apart_pct()), std::abs(row.step->pace_pct)});
  }
  return out + fmt::format(
                   "{} of them through the simulated step as well: at most {:.2f}% from the closed form, {}% "
                   "allowed\n",
                   steps, most, kStepAgreement_pct);
}

}  // namespace

std::string reproduction_text(const std::vector<ReproducedRow>& rows, const std::vector<Erratum>& errata) {
  std::size_t width = kIdColumns;
  for (const ReproducedRow& row : rows) width = std::max(width, row.id.size());
  std::string out =
      fmt::format("{:<{}} {:<8} {:>11} {:>11} {:<7} {:>9} {:>7}  {:<10} {:>11} {:>11} {:>8} {:>8}\n", "row",
                  width, "where", "published", "computed", "unit", "differs", "allowed", "", "through step",
                  "closed form", "apart", "pace");
  for (const ReproducedRow& row : rows) {
    out += row_text(row, width);
    if (row.verdict != Verdict::ok && !row.note.empty()) out += wrapped(row.note, "    ");
  }
  out += "\n" + counts_text(rows);
  if (errata.empty()) return out;
  out += "\nErrata: where the papers slip, or leave open what reproduces them\n";
  for (const Erratum& erratum : errata) {
    out += wrapped(erratum.source + ": " + erratum.says, "- ");
    out += wrapped(erratum.reading, "    ");
  }
  return out;
}

}  // namespace trainyard
