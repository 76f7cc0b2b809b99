#include "report/page/search_worth.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/counted.h"
#include "report/data/json.h"
#include "report/data/show.h"
#include "report/data/step_words.h"
#include "report/drawing/svg.h"
#include "trainyard/report/search.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostRows = 40;  // of a setting
constexpr double kWidest = 1;          // a loss that fills a bar, at most

/// How much worse than the best of all, as a share of it.
std::optional<double> loss_of(const ValueWorth& worth, double best) {
  if (!worth.objective) return std::nullopt;
  if (*worth.objective == best) return 0;
  return best == 0 ? kWidest : std::abs(*worth.objective / best - 1);
}

bool makes_no_difference(const std::vector<ValueWorth>& worth, double best) {
  return std::all_of(worth.begin(), worth.end(),
                     [&](const ValueWorth& w) { return w.objective && *w.objective == best; });
}

std::string loss_text(double value, double best) {
  if (value == best) return "the best";
  constexpr double kPercent = 100;
  return best == 0 ? "" : fmt::format("{:+.2f}%", (value / best - 1) * kPercent);
}

/// The charts of all settings have one scale.
class WorthCharts {
 public:
  explicit WorthCharts(const SearchAnswer& answer)
      : answer_(answer), best_(answer.result.ranked.front().objectives[0]) {
    for (const std::vector<ValueWorth>& worth : answer.result.worth) {
      for (const ValueWorth& w : worth) scale_ = std::max(scale_, loss_of(w, best_).value_or(0));
    }
    clipped_ = scale_ > kWidest;
    scale_ = std::min(scale_, kWidest);
  }

  std::string html() const {
    std::string charts;
    std::vector<std::string> idle;
    for (std::size_t s = 0; s < answer_.result.space.size(); ++s) {
      if (makes_no_difference(answer_.result.worth[s], best_)) {
        idle.push_back(escape_markup(answer_.result.space[s].key));
      } else {
        charts += chart(s);
      }
    }
    std::string out = "<div class=\"worths\">" + charts + "</div>\n";
    if (!idle.empty()) out += fmt::format("<p>Makes no difference: {}.</p>\n", fmt::join(idle, ", "));
    return out;
  }

  std::string lead() const {
    return fmt::format("The best {} with each value, everything else at its best. A full bar is {} worse{}.",
                       answer_.question.objectives.front().label, show_share(scale_),
                       clipped_ ? ", or more" : "");
  }

 private:
  std::string chart(std::size_t s) const {
    const FreeSetting& setting = answer_.result.space[s];
    std::string out = "<div class=\"worth\"><h3>" + escape_markup(setting.key) + "</h3>\n";
    for (const std::size_t v : evenly_chosen(setting.values.size(), kMostRows)) out += row(s, v);
    if (setting.values.size() > kMostRows)
      out += fmt::format("<p class=\"soft\">{} of {}; --json has all.</p>", kMostRows,
                         counted(setting.values.size(), "value"));
    return out + "</div>\n";
  }

  std::string row(std::size_t s, std::size_t v) const {
    const ValueWorth& worth = answer_.result.worth[s][v];
    const std::string word = setting_word(setting_json(answer_.result.space[s].values[v]));
    const std::optional<double> loss = loss_of(worth, best_);
    const double width = loss && scale_ > 0 ? 100 * std::min(1.0, *loss / scale_) : 0;
    return fmt::format(
        "<div class=\"worth-row{}\"><span class=\"name\">{}</span><span class=\"track\"><i "
        "style=\"width:{:.1f}%\"></i></span><span class=\"value\">{}</span><span "
        "class=\"loss\">{}</span></div>\n",
        !loss ? " none" : (*loss == 0 ? " best" : ""), escape_markup(word), width,
        worth.objective ? escape_markup(show(*worth.objective, answer_.question.objectives.front().unit))
                        : "no answer",
        worth.objective ? loss_text(*worth.objective, best_) : "");
  }

  const SearchAnswer& answer_;
  double best_ = 0;
  double scale_ = 0;
  bool clipped_ = false;
};

}  // namespace

std::string worth_section(const SearchAnswer& answer) {
  const WorthCharts charts(answer);
  return "<section id=\"worth\"><h2>What each value costs</h2><p class=\"soft\">" +
         escape_markup(charts.lead()) + "</p>\n" + charts.html() + "</section>\n";
}

}  // namespace trainyard
