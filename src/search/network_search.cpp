#include "search/network_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "base/quantity_text.h"
#include "search/crossings.h"
#include "search/mapping_search.h"
#include "step/plan_traffic.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Cable lengths of larger networks are those of so many switches of each tier.
constexpr std::int64_t kSmallNetwork = 16'384;
constexpr std::int64_t kSampledSwitches = 48;
/// Exposed shares are told apart to a hundredth of a percent.
constexpr double kShareStep = 1e-4;
constexpr double kSamePrice = 1e-9;
constexpr double kMostMixes = 500'000;

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) out.push_back(d);
  }
  return out;
}

/// Orders of devices in the networks, which decide what crosses which blocks.
using Dealing = std::tuple<TopologyKind, std::int64_t, std::int64_t>;

Dealing dealing_of(const NetworkDesign& d) { return {d.input.topology, d.rails, d.rails_per_network}; }

class Search {
 public:
  Search(const Scenario& scenario, const Progress& progress)
      : s_(scenario), progress_(progress), plan_(make_plan(scenario)) {
    DesignInput flat;
    flat.name = "any";
    flat.radix = 1 << 30;  // one switch for all: only the order of devices counts
    const NetworkDesign any = resolve_design(s_, flat);
    domain_ = any.domain;
    gateways_ = any.gateways;
    flows_ = device_flows(any, traffic_of(plan_));
  }

  NetworkSearch search() {
    list_mixes();
    for (std::size_t i = 0; i < mixes_.size(); ++i) {
      try_mix(mixes_[i]);
      if (progress_) progress_(i + 1, mixes_.size());
    }
    if (choices_.empty()) {
      throw Infeasible("optimize", fmt::format("none of {} mixes can be built", mixes_.size()),
                       "other switches, planes that divide the rate into their ports, or more tiers");
    }
    find_front();
    answer_questions();
    return std::move(out_);
  }

 private:
  const OptimizeInput& limits() const { return s_.optimize; }

  /// Lists that multiply to more than could ever be tried are refused.
  void check_size(std::size_t kinds) const {
    double overs = 1;
    double sum = 0;
    for (std::int64_t tiers = 1; tiers <= limits().most_tiers; ++tiers) {
      sum += overs;
      overs *= static_cast<double>(limits().oversubscription.size());
    }
    const double mixes = sum * static_cast<double>(limits().planes.size() * limits().switches.size() * kinds);
    if (mixes > kMostMixes) {
      fail_input(whole("optimize"),
                 fmt::format("{:.3g} mixes are more than the {:.0f} that are tried", mixes, kMostMixes),
                 "fewer values of oversubscription, planes or rails, or a smaller most_tiers");
    }
  }

  void list_mixes() {
    std::vector<std::int64_t> rails = limits().rails.empty() ? divisors(domain_) : limits().rails;
    std::sort(rails.begin(), rails.end());
    for (const std::int64_t count : rails) {
      if (domain_ % count == 0) continue;
      fail_input(whole("optimize.rails"),
                 fmt::format("{} devices of an HB domain do not divide by {} rails", domain_, count),
                 "allowed: divisors of the devices of an HB domain");
    }
    check_size(rails.size() + 2);
    list_mixes_of(TopologyKind::fat_tree, 1);
    list_mixes_of(TopologyKind::rail_optimized, 1);
    for (const std::int64_t count : rails) {
      if (count > 1) list_mixes_of(TopologyKind::rail_only, count);
    }
    out_.tried = static_cast<std::int64_t>(mixes_.size());
  }

  void list_mixes_of(TopologyKind kind, std::int64_t rails) {
    for (const std::string& part : limits().switches) {
      for (const std::int64_t planes : limits().planes) list_mixes_of(part, planes, kind, rails);
    }
  }

  /// Every count of tiers, with every oversubscription of each boundary.
  void list_mixes_of(const std::string& part, std::int64_t planes, TopologyKind kind, std::int64_t rails) {
    DesignInput input;
    input.name = "mix";
    input.topology = kind;
    input.switch_name = part;
    input.planes = planes;
    input.prices = limits().prices;
    if (kind == TopologyKind::rail_only) input.rails = rails;
    for (std::int64_t tiers = 1; tiers <= limits().most_tiers; ++tiers) {
      input.tiers = tiers;
      input.oversubscription.assign(static_cast<std::size_t>(tiers - 1), 1);
      add_oversubscribed(input, 0);
    }
  }

  void add_oversubscribed(DesignInput& input, std::size_t boundary) {
    if (boundary == input.oversubscription.size()) {
      mixes_.push_back(input);
      return;
    }
    for (const double o : limits().oversubscription) {
      input.oversubscription[boundary] = o;
      add_oversubscribed(input, boundary + 1);
    }
    input.oversubscription[boundary] = 1;
  }

  /// More tiers than needed only add switches: the fewest tiers that hold the endpoints are enough.
  bool worth_trying(const DesignInput& input) {
    const ClosParts parts{ports_of(input), input.oversubscription};
    if (parts.ports < 2) return false;
    const std::int64_t endpoints = endpoints_of(input);
    if (largest_clos(parts, *input.tiers) < endpoints) return false;
    if (*input.tiers < 2) return true;
    ClosParts fewer = parts;
    fewer.oversubscription.pop_back();
    return *input.tiers < 3 || largest_clos(fewer, *input.tiers - 1) < endpoints;
  }

  std::int64_t ports_of(const DesignInput& input) const {
    const BitRate rate = host_rate() / static_cast<double>(input.planes);
    for (const PortSplit& split : s_.catalog->switches.at(input.switch_name).radix) {
      if (std::abs(split.rate / rate - 1) < 1e-9) return split.ports;
    }
    return 0;
  }

  BitRate host_rate() const { return plan_.communication.scale_out_rate / s_.network.scale_out_efficiency; }

  std::int64_t endpoints_of(const DesignInput& input) const {
    const std::int64_t hosts = plan_.facility.domains / plan_.facility.datacenters * domain_;
    const std::int64_t rails = input.rails.value_or(1);
    return hosts / rails + ceil_div(gateways_, rails);
  }

  /// Mixes that cannot be cabled are not answers.
  std::optional<NetworkDesign> cabled(const DesignInput& input) const {
    try {
      return resolve_design(s_, input);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// Parts without a price are the user's to add: those errors pass.
  void try_mix(const DesignInput& mix) {
    if (!worth_trying(mix)) return;
    const auto design = cabled(mix);
    if (!design) return;
    add(*design);
    // Fewer rails on a switch: more switches, and less lost with one.
    DesignInput input = mix;
    for (const std::int64_t fewer : divisors(design->rails_per_network)) {
      if (fewer == design->rails_per_network) continue;
      input.rails_per_switch = fewer;
      if (const auto other = cabled(input)) add(*other);
    }
  }

  void add(const NetworkDesign& design) {
    const std::string unlike = mismatch(design, plan_);
    TY_ASSERT(unlike.empty(), unlike);
    NetworkChoice choice;
    choice.input = design.input;
    choice.input.name = name_of(design);
    choice.tiers = design.fabric->tiers();
    choice.networks = design.networks;
    const DesignCounts counts = count(design);
    choice.chips = counts.chips;
    const bool small = design.fabric->endpoints() <= kSmallNetwork;
    const Bill bill = price(design, s_, small ? 0 : kSampledSwitches);
    choice.shares = crossings(design).shares(design);
    choice.score = {bill.price, bill.power, exposed(choice.shares), counts.domain_kept};
    choices_.push_back(std::move(choice));
  }

  Crossings& crossings(const NetworkDesign& design) {
    const Dealing dealing = dealing_of(design);
    // Mixes come dealing by dealing: what was computed for others is not needed again.
    std::erase_if(crossings_, [&](const auto& item) {
      return std::get<0>(item.first) != std::get<0>(dealing) ||
             std::get<1>(item.first) != std::get<1>(dealing);
    });
    const auto known = crossings_.find(dealing);
    if (known != crossings_.end()) return known->second;
    return crossings_.emplace(dealing, Crossings(design, flows_)).first->second;
  }

  double exposed(const TrafficShares& shares) {
    const auto key = std::tuple(shares.pipeline, shares.gradient, shares.expert, shares.weights);
    const auto known = exposed_.find(key);
    if (known != exposed_.end()) return known->second;
    const double share = with_shares(plan_, shares).step.exposed_share_step;
    return exposed_.emplace(key, std::round(share / kShareStep) * kShareStep).first->second;
  }

  static std::string name_of(const NetworkDesign& d) {
    std::string name = d.input.topology == TopologyKind::fat_tree         ? "fat tree"
                       : d.input.topology == TopologyKind::rail_optimized ? "rail-optimized"
                                                                          : fmt::format("{} rails", d.rails);
    name += fmt::format(", {} plane{}, {} tier{}", d.planes, d.planes == 1 ? "" : "s", d.fabric->tiers(),
                        d.fabric->tiers() == 1 ? "" : "s");
    std::string over;
    for (const double o : d.input.oversubscription)
      over += fmt::format("{}{:g}:1", over.empty() ? "" : " ", o);
    const bool full = std::all_of(d.input.oversubscription.begin(), d.input.oversubscription.end(),
                                  [](double o) { return o == 1; });
    if (!full) name += ", " + over;
    if (d.input.rails_per_switch) name += fmt::format(", {} a switch", *d.input.rails_per_switch);
    return name;
  }

  void find_front() {
    std::stable_sort(choices_.begin(), choices_.end(), [](const NetworkChoice& a, const NetworkChoice& b) {
      return a.score.price < b.score.price;
    });
    out_.possible = static_cast<std::int64_t>(choices_.size());
    out_.least_exposed = 1;
    for (const NetworkChoice& c : choices_)
      out_.least_exposed = std::min(out_.least_exposed, c.score.exposed_share);
    for (const NetworkChoice& c : choices_) {
      const bool dominated = std::any_of(choices_.begin(), choices_.end(), [&](const NetworkChoice& other) {
        return other.score.dominates(c.score);
      });
      const bool twin = std::any_of(out_.front.begin(), out_.front.end(), [&](const FrontMember& m) {
        return !m.choice.score.dominates(c.score) && !c.score.dominates(m.choice.score) &&
               same(m.choice.score, c.score);
      });
      if (!dominated && !twin) out_.front.push_back({c, {}});
    }
    for (FrontMember& member : out_.front) add_neighbours(member);
    out_.best = cheapest_unslowed();
  }

  static bool same(const NetworkScore& a, const NetworkScore& b) {
    return std::abs(a.price / b.price - 1) < kSamePrice && std::abs(a.power / b.power - 1) < kSamePrice &&
           a.exposed_share == b.exposed_share && a.kept == b.kept;
  }

  std::size_t cheapest_unslowed() const {
    for (std::size_t i = 0; i < out_.front.size(); ++i) {
      if (out_.front[i].choice.score.exposed_share <= out_.least_exposed) return i;
    }
    return 0;
  }

  static bool full(const NetworkChoice& c) {
    return std::all_of(c.input.oversubscription.begin(), c.input.oversubscription.end(),
                       [](double o) { return o == 1; });
  }

  const NetworkChoice* cheapest(const std::function<bool(const NetworkChoice&)>& wanted) const {
    for (const NetworkChoice& c : choices_) {
      if (wanted(c)) return &c;  // choices are sorted by price
    }
    return nullptr;
  }

  void answer_questions() {
    const auto unslowed = [&](const NetworkChoice& c) {
      return full(c) && c.score.exposed_share <= out_.least_exposed;
    };
    const NetworkChoice* best = cheapest(unslowed);
    if (!best) return;
    out_.best_full = *best;
    const NetworkChoice* any =
        cheapest([&](const NetworkChoice& c) { return unslowed(c) && !c.input.rails; });
    if (any) out_.best_any = *any;
    for (const NetworkChoice& c : choices_) consider_rails(*best, c);
    find_next_fewer();
  }

  /// Fewer rails at the same planes and switch: which still need no more tiers?
  void consider_rails(const NetworkChoice& best, const NetworkChoice& c) {
    const bool alike = full(c) && c.input.planes == best.input.planes &&
                       c.input.switch_name == best.input.switch_name && c.input.rails &&
                       !c.input.rails_per_switch;
    if (!alike) return;
    if (c.tiers == best.tiers) {
      if (!out_.fewest_rails || *c.input.rails < *out_.fewest_rails->input.rails) out_.fewest_rails = c;
    } else if (c.tiers == best.tiers + 1) {
      by_rails_.emplace(*c.input.rails, c);
    }
  }

  /// The next count of rails below the fewest that keep the tiers.
  void find_next_fewer() {
    if (!out_.fewest_rails) return;
    const auto at = by_rails_.lower_bound(*out_.fewest_rails->input.rails);
    if (at != by_rails_.begin()) out_.fewer_rails = std::prev(at)->second;
  }

  /// A mix's settings without its name, to find neighbours by.
  using Settings = std::tuple<std::string, TopologyKind, std::int64_t, std::int64_t, std::int64_t,
                              std::int64_t, std::vector<double>>;
  static Settings settings_of(const NetworkChoice& c) {
    return {c.input.switch_name,       c.input.topology, c.input.planes,
            c.input.rails.value_or(1), c.tiers,          c.input.rails_per_switch.value_or(0),
            c.input.oversubscription};
  }

  void add_neighbours(FrontMember& member) {
    const Settings at = settings_of(member.choice);
    const std::vector<std::int64_t> rails = limits().rails.empty() ? divisors(domain_) : limits().rails;
    const auto& [part, kind, planes, count, tiers, per_switch, over] = at;
    for (const int step : {-1, 1}) {
      if (const auto p = beside(limits().planes, planes, step))
        add_neighbour(member, fmt::format("{} planes", *p), {part, kind, *p, count, tiers, per_switch, over});
      if (const auto r = beside(rails, count, step); r && *r > 1 && count > 1)
        add_neighbour(member, fmt::format("{} rails", *r), {part, kind, planes, *r, tiers, per_switch, over});
      for (std::size_t b = 0; b < over.size(); ++b) {
        const auto o = beside(limits().oversubscription, over[b], step);
        if (!o) continue;
        std::vector<double> changed = over;
        changed[b] = *o;
        add_neighbour(member, fmt::format("{:g}:1 on tier {}", *o, b + 1),
                      {part, kind, planes, count, tiers, per_switch, changed});
      }
    }
    for (const TopologyKind other : {TopologyKind::fat_tree, TopologyKind::rail_optimized}) {
      if (other != kind && count == 1)
        add_neighbour(member, other == TopologyKind::fat_tree ? "racks in order" : "leaves by rank",
                      {part, other, planes, count, tiers, per_switch, over});
    }
  }

  template <class T>
  static std::optional<T> beside(const std::vector<T>& values, T at, int step) {
    std::vector<T> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const auto found = std::find(sorted.begin(), sorted.end(), at);
    if (found == sorted.end()) return std::nullopt;
    const auto index = found - sorted.begin() + step;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(sorted.size())) return std::nullopt;
    return sorted[static_cast<std::size_t>(index)];
  }

  void add_neighbour(FrontMember& member, const std::string& change, Settings wanted) {
    if (by_settings_.empty()) {
      for (std::size_t i = 0; i < choices_.size(); ++i) by_settings_[settings_of(choices_[i])] = i;
    }
    // A change of planes or rails changes the tiers that are needed.
    auto found = by_settings_.find(wanted);
    for (std::int64_t tiers = 1; found == by_settings_.end() && tiers <= limits().most_tiers; ++tiers) {
      std::get<4>(wanted) = tiers;
      std::get<6>(wanted).resize(static_cast<std::size_t>(tiers - 1), 1);
      found = by_settings_.find(wanted);
    }
    if (found == by_settings_.end()) {
      NetworkNeighbour& none = member.neighbours.emplace_back();
      none.change = change;
      none.verdict = "cannot be built";
      return;
    }
    const NetworkChoice& other = choices_[found->second];
    const bool beaten = std::any_of(choices_.begin(), choices_.end(),
                                    [&](const NetworkChoice& c) { return c.score.dominates(other.score); });
    member.neighbours.push_back({change, other, !beaten, verdict(member.choice, other)});
  }

  static std::string percent(double ratio) { return fmt::format("{:+.1f}%", (ratio - 1) * 100); }

  /// "price +12.0%, power +10.1%, exposed 1.65% to 2.30%": what gets worse, then what gets better.
  static std::string verdict(const NetworkChoice& from, const NetworkChoice& to) {
    std::string worse;
    std::string better;
    const auto note = [&](bool is_worse, const std::string& text) {
      std::string& list = is_worse ? worse : better;
      list += (list.empty() ? "" : ", ") + text;
    };
    const double price = to.score.price / from.score.price;
    const double power = to.score.power / from.score.power;
    if (std::abs(price - 1) > 5e-4) note(price > 1, "price " + percent(price));
    if (std::abs(power - 1) > 5e-4) note(power > 1, "power " + percent(power));
    const double exposed = to.score.exposed_share - from.score.exposed_share;
    if (exposed != 0) {
      note(exposed > 0,
           fmt::format("exposed {} to {}", format_quantity(from.score.exposed_share, Unit::fraction),
                       format_quantity(to.score.exposed_share, Unit::fraction)));
    }
    const double kept = to.score.kept - from.score.kept;
    if (std::abs(kept) > 1e-9) {
      note(kept < 0, fmt::format("one switch down leaves {} in place of {}",
                                 format_quantity(to.score.kept, Unit::fraction),
                                 format_quantity(from.score.kept, Unit::fraction)));
    }
    if (worse.empty() && better.empty()) return "the same";
    if (worse.empty()) return "better: " + better;
    return better.empty() ? worse : worse + "; but " + better;
  }

  const Scenario& s_;
  const Progress& progress_;
  Plan plan_;
  std::int64_t domain_ = 1;
  std::int64_t gateways_ = 0;  // of the datacenter
  DeviceFlows flows_;
  std::vector<DesignInput> mixes_;
  std::vector<NetworkChoice> choices_;
  std::map<Dealing, Crossings> crossings_;
  std::map<std::tuple<double, double, double, double>, double> exposed_;
  std::map<Settings, std::size_t> by_settings_;
  std::map<std::int64_t, NetworkChoice> by_rails_;  // one tier more than the best, at full bisection
  NetworkSearch out_;
};

}  // namespace

bool NetworkScore::dominates(const NetworkScore& other) const {
  const bool no_worse = price <= other.price && power <= other.power &&
                        exposed_share <= other.exposed_share && kept >= other.kept;
  const bool better =
      price < other.price || power < other.power || exposed_share < other.exposed_share || kept > other.kept;
  return no_worse && better;
}

NetworkSearch search_networks(const Scenario& scenario, const Progress& progress) {
  return Search(scenario, progress).search();
}

}  // namespace trainyard
