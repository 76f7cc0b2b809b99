#include "trainyard/network_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/counted.h"
#include "report/data/mapping_words.h"
#include "report/data/show.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

constexpr std::size_t kShown = 24;  // rows of the front

/// The mappings of a front's networks, each said once and named by a letter.
class MappingLetters {
 public:
  /// " A" at the end of a row; nothing where the scenario states its mapping.
  std::string column(const NetworkChoice& c) {
    if (!c.mapping) return {};
    const std::string text = mapping_text(*c.mapping);
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    const auto index = static_cast<std::size_t>(known - texts_.begin());
    if (known == texts_.end()) texts_.push_back(text);
    return fmt::format(" {:>8}", letter(index));
  }

  std::string text() const {
    if (texts_.empty()) return {};
    std::string out = "   mappings, each the fastest on its networks\n";
    for (std::size_t i = 0; i < texts_.size(); ++i) out += fmt::format("   {:<2} {}\n", letter(i), texts_[i]);
    return out;
  }

 private:
  static std::string letter(std::size_t index) {
    constexpr std::size_t kLetters = 26;
    const std::string last(1, static_cast<char>('A' + index % kLetters));
    return index < kLetters ? last : letter(index / kLetters - 1) + last;
  }

  std::vector<std::string> texts_;
};

std::string choice_row(const NetworkChoice& c, bool best, MappingLetters& mappings) {
  return fmt::format(" {} {:<58} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9}{}\n", best ? '*' : ' ', c.input.name,
                     c.chips, show(c.score.price), show(c.score.power), show_share(c.exposed_share),
                     show_share(c.score.lost_share), show_share(c.score.kept), mappings.column(c));
}

/// The front by price, thinned to what fits a screen; the best is always shown.
std::string front_text(const NetworkSearch& search) {
  const bool mapped = search.front[search.best].choice.mapping.has_value();
  std::string out =
      fmt::format("   {:<58} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9}{}\n", "the Pareto front, by price",
                  "chips", "price", "power", "exposed", "lost", "kept", mapped ? "  mapping" : "");
  MappingLetters mappings;
  const std::size_t step = std::max<std::size_t>(1, (search.front.size() + kShown - 1) / kShown);
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const bool best = i == search.best;
    if (best || i % step == 0 || i + 1 == search.front.size())
      out += choice_row(search.front[i].choice, best, mappings);
  }
  if (step > 1) out += fmt::format("   ... {} in all (--csv shows them)\n", search.front.size());
  out +=
      "   exposed: share of a step that waits for the network; kept: of an HB domain's rate after one switch "
      "fails\n";
  out +=
      "   lost: of the fastest network's step, by waiting, later filling and mappings that compute longer\n";
  return out + mappings.text();
}

/// What a slower step saves.
std::string tolerated_text(const NetworkSearch& search) {
  constexpr std::size_t kMost = 12;
  std::string out = "   slower by      price  network\n";
  for (std::size_t i = 0; i < std::min(search.tolerated.size(), kMost); ++i) {
    const ToleratedNetwork& t = search.tolerated[i];
    out += fmt::format("   {:>9} {:>10}  {}\n", t.beyond > 0 ? show_share(t.beyond) : "nothing",
                       show(t.choice.score.price), t.choice.input.name);
  }
  if (search.tolerated.size() > kMost)
    out += fmt::format("   ... {} in all (--json has them)\n", search.tolerated.size());
  return out + "\n";
}

std::string neighbours_text(const FrontMember& member) {
  std::string out = fmt::format("\nwhy not a step beside it ({})\n", member.choice.input.name);
  for (const NetworkNeighbour& n : member.neighbours) {
    out += fmt::format("   {:<22} {}{}\n", n.change, n.verdict, n.on_front ? "; on the front, too" : "");
    if (!n.choice.input.name.empty()) out += fmt::format("   {:<22}   {}\n", "", n.choice.input.name);
  }
  return out;
}

std::string saving(const NetworkChoice& from, const NetworkChoice& to) {
  return fmt::format("{} in place of {}: {} less", show(to.score.price), show(from.score.price),
                     show_share(1 - to.score.price / from.score.price));
}

/// What each requirement costs.
std::string requirements_text(const NetworkSearch& search) {
  const NetworkChoice& best = search.front[search.best].choice;
  std::string out = fmt::format("   {:<30} {:>9} {:>9}  {}\n", "it also carries", "it gives", "required",
                                "without this requirement");
  for (const NetworkRequirement& r : search.requirements) {
    std::string without = "the same";
    if (r.without) without = saving(best, *r.without) + ", " + r.without->input.name;
    out += fmt::format("   {:<30} {:>9} {:>9}  {}\n", r.title, show_share(r.carried),
                       r.least > 0 ? show_share(r.least) : "no", r.least > 0 ? without : "");
  }
  if (search.without_any) {
    out += fmt::format("   {:<30} {:>9} {:>9}  {}\n", "nothing of these", "", "",
                       saving(best, *search.without_any) + ", " + search.without_any->input.name);
  }
  return out + "   shares of a host's rate; of the speed of a step with a switch next to hosts down\n\n";
}

std::string questions_text(const NetworkSearch& search) {
  if (!search.best_full) return {};
  const NetworkChoice& best = search.front[search.best].choice;
  std::string out =
      "\nthe best mix of planes and rails at full bisection\n   " + search.best_full->input.name;
  if (!search.best_full->input.rails) {
    out += ": rails of their own save nothing here";
  } else if (search.best_any) {
    out += ": " + saving(*search.best_any, *search.best_full) + " than " + search.best_any->input.name;
  }
  out += "\nhow much more the traffic's locality saves\n   ";
  out += best.score.price < search.best_full->score.price
             ? best.input.name + ": " + saving(*search.best_full, best)
             : std::string(
                   "nothing: oversubscription slows training, carries too little else, or saves nothing");
  out += "\nhow few rails keep the tiers\n   ";
  if (search.fewest_rails) {
    out += fmt::format("{} need{} {}", counted(*search.fewest_rails->input.rails, "rail"),
                       *search.fewest_rails->input.rails == 1 ? "s" : "",
                       counted(search.fewest_rails->tiers, "tier"));
    if (search.fewer_rails)
      out += fmt::format("; {} need{} {} ({})", *search.fewer_rails->input.rails,
                         *search.fewer_rails->input.rails == 1 ? "s" : "", search.fewer_rails->tiers,
                         show(search.fewer_rails->score.price));
  } else {
    out += "no rail-only network is the best at full bisection";
  }
  return out + "\n";
}

}  // namespace

std::string network_search_text(const NetworkSearch& search) {
  std::string out = fmt::format(
      "{} combinations of switch, planes, rails, tiers and oversubscription were tried; "
      "{} of them can be built, {} are on the front\n\n",
      show_count(search.tried), counted(show_count(search.possible), "network"), search.front.size());
  const NetworkChoice& best = search.front[search.best].choice;
  out += fmt::format("the cheapest network that costs training at most {} of a step (*)\n   {}\n",
                     show_share(search.tolerance), best.input.name);
  if (best.mapping) out += fmt::format("   {}\n", mapping_text(*best.mapping));
  out += "\n";
  out += requirements_text(search);
  out += tolerated_text(search);
  out += front_text(search);
  out += neighbours_text(search.front[search.best]);
  return out + questions_text(search);
}

}  // namespace trainyard
