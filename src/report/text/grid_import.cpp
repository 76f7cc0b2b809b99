#include "trainyard/report/grid_import.h"

#include <fmt/core.h>

#include "trainyard/grid_import.h"

namespace trainyard {
namespace {

constexpr double kMwPerGw = 1e3;
constexpr std::size_t kShownNotes = 3;

std::string whole_mw(const std::optional<double>& power_mw) {
  return power_mw ? fmt::format("{:.0f}", *power_mw) : std::string("-");
}

std::string surplus_table(const GridImport& grid) {
  if (grid.surpluses.empty()) return {};
  std::string text =
      "\nPower to spare, MW (of max NG - max D, the figure of HotNets '24 Table 1, the folder keeps what is "
      "above 0)\n";
  text += fmt::format("  {:<6}{:>8}{:>9}{:>12}{:>12}{:>16}{:>16}{:>14}\n", "", "hours", "dropped", "max D",
                      "max NG", "max NG - max D", "max (NG - D)", "firm - max D");
  for (const AuthoritySurplus& s : grid.surpluses)
    text += fmt::format("  {:<6}{:>8}{:>9}{:>12}{:>12}{:>16}{:>16}{:>14}{}\n", s.authority, s.hours,
                        s.hours_dropped, whole_mw(s.peak_demand_mw), whole_mw(s.peak_generation_mw),
                        whole_mw(s.peaks_apart_mw), whole_mw(s.same_hour_mw), whole_mw(s.firm_surplus_mw),
                        s.figures_differ ? "  differ by more than 2x" : "");
  return text;
}

std::string note_list(const GridImport& grid) {
  std::string text;
  for (const auto& [topic, notes] : grid.notes) {
    text += fmt::format("  {} ({})\n", topic, notes.size());
    for (std::size_t i = 0; i < notes.size() && i < kShownNotes; ++i)
      if (!notes[i].empty()) text += "    " + notes[i] + "\n";
  }
  return text.empty() ? text : "\nNotes (all of them: IMPORT_LOG.txt)\n" + text;
}

}  // namespace

std::string grid_import_text(const std::string& folder, const GridImport& grid) {
  std::string text = folder + "\n";
  for (const auto& [file, rows] : grid.rows) text += fmt::format("  {:<28}{:>8} rows\n", file, rows);
  text += fmt::format("  {:.2f} GW, {:.2f} GW of it firm, {:.2f} GW coal\n", grid.capacity_mw / kMwPerGw,
                      grid.firm_mw / kMwPerGw, grid.coal_mw / kMwPerGw);
  text += surplus_table(grid) + note_list(grid);
  return text + "\nAttribution that must stay with the data: " + folder + "/SOURCES.txt\n";
}

}  // namespace trainyard
