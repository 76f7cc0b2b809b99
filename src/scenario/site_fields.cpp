// The table of [site].
#include "base/distinct.h"
#include "scenario/choices/site.h"
#include "scenario/sections.h"
#include "trainyard/range.h"
#include "trainyard/site_input.h"

namespace trainyard {

const FieldTable<SiteInput>& site_fields() {
  using S = SiteInput;
  constexpr double kHalfEarth_m = 20e6;  // no two places are farther apart
  constexpr double kMostSites = 8;
  static const FieldTable<S> table = {
      field("grid", &S::grid, "Folder of a power grid's files (docs/siting.md).")
          .otherwise("a small one of the largest plants and interconnections of the United States"),
      field("power", &S::power, positive(), "Power to be found.")
          .otherwise("the facility's at the higher PUE"),
      field("rule", &S::rule, "What a place can give."),
      field("radius", &S::radius, between(0, kHalfEarth_m),
            "Plants and nodes within this distance of a place are its power node."),
      distinct_field("radii", &S::radii, between(0, kHalfEarth_m), "Radii to compare."),
      field("largest_radius", &S::largest_radius, between(1e3, 2e6),
            "End of the search for a place's least radius."),
      field("least_plant", &S::least_plant, at_least(0),
            "Plants of this size and more are candidates for places, as are all nodes."),
      field("coal", &S::coal, "When coal rules a place out.").from("HotNets '24 section 2"),
      field("count_coal", &S::count_coal, "Whether coal-fired capacity counts as generation."),
      field("reserve", &S::reserve, "The largest producer, whose loss a place must survive.")
          .from("HotNets '24 section 2"),
      field("wind_credit", &S::wind_credit, between(0, 1),
            "Share of wind's capacity that the paper's rule counts."),
      field("solar_credit", &S::solar_credit, between(0, 1),
            "Share of solar capacity that the paper's rule counts."),
      field("battery_credit", &S::battery_credit, between(0, 1),
            "Share of batteries' capacity that the paper's rule counts."),
      field("spare", &S::spare, "Spare power of a balancing authority, which bounds what its sites take."),
      field("available", &S::available, at_least(0),
            "Spare power of authorities by their codes, over what `spare` says.")
          .otherwise("none"),
      field("sites", &S::sites, between(1, kMostSites),
            "Most sites of a split; all numbers from 2 are tried."),
      field("least_share", &S::least_share, between(0, 1),
            "Least share of the power that a site of a split takes.")
          .otherwise("half of an even share"),
      field("separation", &S::separation, between(0, kHalfEarth_m),
            "Sites of a split are farther apart than this.")
          .otherwise("twice the radius, so that no plant counts twice"),
      field("thin", &S::thin,
            "Of places closer than the separation only the strongest is combined into splits."),
      field("spread", &S::spread, "What the sites of a split have to be."),
      field("goal", &S::goal, "What the chosen split is best in."),
      field("fibre_ratio", &S::fibre_ratio, between(1, 10), "Length of fibre over the great circle.")
          .from("Bozkurt et al. (arXiv 1811.10737): median over the InterTubes conduits"),
      field("refractive_index", &S::refractive_index, between(1, 3), "Of the fibre.")
          .from("ITU-T G.652 fibre at 1550 nm"),
      field("fibre_price", &S::fibre_price, at_least(0), "USD a year for 1 Tbit/s over 1 km of fibre.")
          .otherwise("none: fibre is left out of the cost"),
      field("shown", &S::shown, between(1, 1000), "Sites and splits that are listed."),
      field("confirmed", &S::confirmed, between(0, 1000),
            "Best splits of each number of sites that are put on the network together (maximum flow)."),
      field(
          "outages", &S::outages,
          "Whether the network has to feed a split also without any one of its largest plants and of the "
          "five largest lines at the boundary of each site; without, this is looked at for the chosen one."),
  };
  return table;
}

}  // namespace trainyard
