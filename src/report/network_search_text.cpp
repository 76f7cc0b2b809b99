#include "report/network_search_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 24;  // rows of the front

std::string money(Usd price) { return format_quantity(price.si(), Unit::usd); }
std::string share(double value) { return format_quantity(value, Unit::fraction); }

std::string choice_row(const NetworkChoice& c, bool best) {
  return fmt::format(" {} {:<58} {:>9} {:>10} {:>10} {:>9} {:>9}\n", best ? '*' : ' ', c.input.name, c.chips,
                     money(c.score.price), format_quantity(c.score.power.si(), Unit::watts),
                     share(c.score.exposed_share), share(c.score.kept));
}

/// The front by price, thinned to what fits a screen; the best is always shown.
std::string front_text(const NetworkSearch& search) {
  std::string out = fmt::format("   {:<58} {:>9} {:>10} {:>10} {:>9} {:>9}\n", "the Pareto front, by price",
                                "chips", "price", "power", "exposed", "kept");
  const std::size_t step = std::max<std::size_t>(1, (search.front.size() + kShown - 1) / kShown);
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const bool best = i == search.best;
    if (best || i % step == 0 || i + 1 == search.front.size())
      out += choice_row(search.front[i].choice, best);
  }
  if (step > 1) out += fmt::format("   ... {} in all (--csv shows them)\n", search.front.size());
  return out +
         "   exposed: share of a step that waits for the network; kept: of an HB domain's rate after one "
         "switch "
         "fails\n";
}

std::string neighbours_text(const FrontMember& member) {
  std::string out = fmt::format("\nwhy not a step beside it ({})\n", member.choice.input.name);
  for (const NetworkNeighbour& n : member.neighbours) {
    out += fmt::format("   {:<22} {}{}\n", n.change, n.verdict, n.on_front ? " (also on the front)" : "");
  }
  return out;
}

std::string saving(const NetworkChoice& from, const NetworkChoice& to) {
  return fmt::format("{} in place of {}: {} less", money(to.score.price), money(from.score.price),
                     share(1 - to.score.price / from.score.price));
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
             : std::string("nothing: oversubscription slows training, or saves nothing");
  out += "\nhow few rails keep the tiers\n   ";
  if (search.fewest_rails) {
    out += fmt::format("{} rails need {} tier{}", *search.fewest_rails->input.rails,
                       search.fewest_rails->tiers, search.fewest_rails->tiers == 1 ? "" : "s");
    if (search.fewer_rails)
      out += fmt::format("; {} need {} ({})", *search.fewer_rails->input.rails, search.fewer_rails->tiers,
                         money(search.fewer_rails->score.price));
  } else {
    out += "no rail-only network is the best at full bisection";
  }
  return out + "\n";
}

Json choice_json(const NetworkChoice& c) {
  Json out = {
      {"name", c.input.name},
      {"topology", choice_name(c.input.topology)},
      {"switch", c.input.switch_name},
      {"planes", c.input.planes},
      {"rails", c.input.rails.value_or(1)},
      {"rails_per_switch", c.input.rails_per_switch ? Json(*c.input.rails_per_switch) : Json(nullptr)},
      {"tiers", c.tiers},
      {"oversubscription", c.input.oversubscription},
      {"switches", c.chips},
      {"price_usd", c.score.price.si()},
      {"power_w", c.score.power.si()},
      {"exposed_share", c.score.exposed_share},
      {"domain_kept", c.score.kept},
      {"pipeline_share", c.shares.pipeline},
      {"gradient_share", c.shares.gradient},
      {"expert_share", c.shares.expert},
      {"weights_share", c.shares.weights}};
  return out;
}

Json optional_choice(const std::optional<NetworkChoice>& choice) {
  return choice ? choice_json(*choice) : Json(nullptr);
}

}  // namespace

std::string network_search_text(const NetworkSearch& search) {
  std::string out = fmt::format("{} mixes, {} can be built, {} on the front\n\n", search.tried,
                                search.possible, search.front.size());
  out += fmt::format("the cheapest network that does not slow training (*)\n   {}\n\n",
                     search.front[search.best].choice.input.name);
  out += front_text(search);
  out += neighbours_text(search.front[search.best]);
  return out + questions_text(search);
}

std::string network_search_json(const NetworkSearch& search, const Provenance& provenance) {
  Json front = Json::array();
  for (const FrontMember& member : search.front) {
    Json one = choice_json(member.choice);
    Json neighbours = Json::array();
    for (const NetworkNeighbour& n : member.neighbours)
      neighbours.push_back({{"change", n.change}, {"on_front", n.on_front}, {"verdict", n.verdict}});
    one["neighbours"] = neighbours;
    front.push_back(std::move(one));
  }
  Json json = {{"tried", search.tried},
               {"possible", search.possible},
               {"best", search.best},
               {"front", front},
               {"best_full_bisection", optional_choice(search.best_full)},
               {"best_any_to_any", optional_choice(search.best_any)},
               {"fewest_rails", optional_choice(search.fewest_rails)},
               {"fewer_rails", optional_choice(search.fewer_rails)}};
  json["provenance"] = provenance_json(provenance);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string network_search_csv(const NetworkSearch& search) {
  std::string out =
      "name,topology,switch,planes,rails,tiers,switches,price_usd,power_w,exposed_share,domain_kept,best\n";
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const NetworkChoice& c = search.front[i].choice;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(c.input.name),
                       choice_name(c.input.topology), c.input.switch_name, c.input.planes,
                       c.input.rails.value_or(1), c.tiers, c.chips, number_text(c.score.price.si()),
                       number_text(c.score.power.si()), number_text(c.score.exposed_share),
                       number_text(c.score.kept), i == search.best);
  }
  return out;
}

}  // namespace trainyard
