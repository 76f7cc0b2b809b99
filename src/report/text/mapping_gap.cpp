#include "trainyard/mapping_gap.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "report/data/mapping_words.h"
#include "report/data/show.h"
#include "trainyard/report/validation.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestName = 48;

std::size_t name_width(const MappingGaps& gaps) {
  std::size_t width = 10;
  for (const MappingGap& gap : gaps.runs) width = std::max(width, gap.run.id.size());
  return std::min(width, kLongestName);
}

std::string gap_line(const MappingGap& gap, std::size_t width) {
  const std::string name = shortened(gap.run.id, width);
  if (!gap.refused.empty()) return fmt::format("{:<{}} refused: {}\n", name, width, gap.refused);
  const auto changes = mapping_changes(gap);
  return fmt::format("{:<{}} {:>7} {:>9.4g} {:>9.4g} {:>+7.2f}%{} {}\n", name, width, gap.run.devices,
                     gap.submitted.si(), gap.best.si(), gap.gap_pct(), gap.beyond_error_bar() ? '*' : ' ',
                     changes.empty() ? "the same" : fmt::format("{}", fmt::join(changes, " ")));
}

}  // namespace

std::string mapping_gaps_text(const MappingGaps& gaps) {
  const std::size_t width = name_width(gaps);
  std::string out = fmt::format("{:<{}} {:>7} {:>9} {:>9} {:>8}  {}\n", "run", width, "devices", "its own s",
                                "best s", "gap", "what the best mapping changes");
  for (const MappingGap& gap : gaps.runs) out += gap_line(gap, width);
  out += fmt::format(
      "\n{}: their own mappings are slower than the best found by {:.2f}% in the median; {} within 5%\n"
      "* more than the 80% interval of the run's predicted step\n",
      counted(gaps.compared, "run"), gaps.median_gap_pct, gaps.within_5_pct);
  return out;
}

}  // namespace trainyard
