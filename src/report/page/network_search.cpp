#include "trainyard/network_search.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "report/data/mapping_words.h"
#include "report/data/show.h"
#include "report/drawing/network_charts.h"
#include "report/drawing/svg.h"
#include "report/page/network_parts.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

PageFacts search_cards(const NetworkSearch& search) {
  const NetworkChoice& best = search.front[search.best].choice;
  const NetworkScore& score = best.score;
  return {{"price", show(score.price)},
          {"power", show(score.power)},
          {"exposed communication", show_share(best.exposed_share)},
          {"HB domain keeps", show_share(score.kept)},
          {"combinations tried", grouped(search.tried)},
          {"on the front", grouped(search.front.size())}};
}

std::string saving(const NetworkChoice& from, const NetworkChoice& to) {
  return fmt::format("{}: {} in place of {}, {} less", to.input.name, show(to.score.price),
                     show(from.score.price), show_share(1 - to.score.price / from.score.price));
}

PageFacts best_facts(const NetworkSearch& search) {
  const NetworkChoice& best = search.front[search.best].choice;
  PageFacts out = {{"network", best.input.name},
                   {"costs training at most", show_share(search.tolerance) + " of a step"},
                   {"tiers", grouped(best.tiers)},
                   {"independent networks", grouped(best.networks)},
                   {"switch chips", grouped(best.chips)}};
  if (best.mapping) out.emplace_back("the fastest mapping on it", mapping_text(*best.mapping));
  if (search.best_full) out.emplace_back("the best at full bisection", search.best_full->input.name);
  if (search.best_full && best.score.price < search.best_full->score.price)
    out.emplace_back("what the traffic's locality saves", saving(*search.best_full, best));
  if (search.fewest_rails)
    out.emplace_back("fewest rails with its tiers", grouped(*search.fewest_rails->input.rails));
  return out;
}

std::string front_table(const NetworkSearch& search) {
  const bool mapped = search.front[search.best].choice.mapping.has_value();
  std::vector<PageColumn> columns = {{"network"},
                                     {""},
                                     number_column("tiers"),
                                     number_column("chips"),
                                     number_column("price, million USD"),
                                     number_column("power, kW"),
                                     number_column("exposed"),
                                     number_column("lost"),
                                     number_column("kept"),
                                     number_column("all to all")};
  if (mapped) columns.push_back({"mapping"});
  PageTable table(columns);
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const NetworkChoice& c = search.front[i].choice;
    std::vector<std::string> cells = {c.input.name,
                                      i == search.best ? "chosen" : "",
                                      grouped(c.tiers),
                                      grouped(c.chips),
                                      fmt::format("{:.4g}", c.score.price.si() / 1e6),
                                      fmt::format("{:.4g}", c.score.power.si() / 1e3),
                                      show_share(c.exposed_share),
                                      show_share(c.score.lost_share),
                                      show_share(c.score.kept),
                                      show_share(c.carries.all_to_all)};
    if (mapped) cells.push_back(c.mapping ? mapping_text(*c.mapping) : "");
    table.row(cells);
  }
  return table.html(TableUse::filtered);
}

std::string requirement_table(const NetworkSearch& search) {
  const NetworkChoice& best = search.front[search.best].choice;
  PageTable table{{"it also carries"},
                  number_column("it gives"),
                  number_column("required"),
                  {"without this requirement"}};
  for (const NetworkRequirement& r : search.requirements) {
    const std::string without = r.without ? saving(best, *r.without) : "the same network";
    table.row({r.title, show_share(r.carried), r.least > 0 ? show_share(r.least) : "no",
               r.least > 0 ? without : ""});
  }
  if (search.without_any) table.row({"nothing of these", "", "", saving(best, *search.without_any)});
  return table.html();
}

std::string neighbour_table(const FrontMember& member) {
  PageTable table{{"change"}, {"network"}, {"why not"}};
  for (const NetworkNeighbour& n : member.neighbours)
    table.row({n.change, n.choice.input.name, n.verdict + (n.on_front ? "; on the front, too" : "")});
  return table.html();
}

}  // namespace

std::string network_search_page(const Scenario& scenario, const NetworkSearch& search) {
  const NetworkChoice& best = search.front[search.best].choice;
  const NetworkDesign design = resolve_design(scenario, best.input);
  PageTable bill = bill_table();
  add_bill(bill, best.input.name, price(design, scenario));
  return page(
      "network_search",
      {.kind = "network search",
       .title = page_title(scenario),
       .subject = fmt::format("{} combinations of switch, planes, rails, tiers and oversubscription; {} can "
                              "be built, {} are on the front",
                              grouped(search.tried), grouped(search.possible), grouped(search.front.size())),
       .cards = search_cards(search),
       .footer = page_footer(scenario)},
      {{"best", page_facts(best_facts(search))},
       {"drawing", networks_svg({design})},
       {"front", front_table(search)},
       {"requirements", requirement_table(search)},
       {"neighbours", neighbour_table(search.front[search.best])},
       {"bill", bill.html()},
       {"settings", page_facts(page_settings(scenario, {"optimize.", "floor."}))}},
      network_search_charts(search));
}

}  // namespace trainyard
