// What a design costs: chips, cables and transceivers, by the catalog or by a paper's price model.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "topology/fabric.h"
#include "topology/floor_plan.h"
#include "trainyard/catalog.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {
namespace {

constexpr double kEndsOfCable = 2;
/// Beyond so many endpoints of a tree, so many of its switches stand for all.
constexpr std::int64_t kManyEndpoints = 5'000'000;
constexpr std::int64_t kSampledSwitches = 100'000;
/// Links of other topologies are laid out one by one.
constexpr std::int64_t kMostLaidOut = 50'000'000;
constexpr std::array<double, 10> kLengthClasses_m = {2, 3, 5, 10, 30, 50, 100, 500, 2000, 1e9};

/// One way to make a cable of a rate: so many products side by side.
struct CableChoice {
  std::string key;
  const LinkProduct* product = nullptr;
  double parallel = 1;
  Usd price;  // of the whole cable
  std::optional<Watts> power;
  bool transceivers = false;
  Metres reach;
};

Usd price_of(const LinkProduct& product) {
  return *product.price * (product.price_is == PriceBasis::per_end ? kEndsOfCable : 1);
}

/// Nothing stays unknown, however many there are.
std::optional<Watts> times(const std::optional<Watts>& power, double count) {
  return power ? std::optional(*power * count) : std::nullopt;
}

std::optional<Watts> power_of(const LinkProduct& product) {
  return times(product.power, product.kind == LinkKind::transceiver ? kEndsOfCable : 1);
}

/// The catalog's ways to make a cable of this rate, cheapest first.
std::vector<CableChoice> choices_for(const Catalog& catalog, BitRate rate) {
  std::vector<CableChoice> out;
  for (const auto& [key, product] : catalog.links) {
    if (!product.price) continue;
    const double parallel = std::ceil(rate / product.rate - 1e-9);
    out.push_back({key, &product, parallel, price_of(product) * parallel, times(power_of(product), parallel),
                   product.kind == LinkKind::transceiver, product.reach});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CableChoice& a, const CableChoice& b) { return a.price < b.price; });
  return out;
}

/// A price model's way: two transceivers on every cable, at its price for a rate. It says nothing of power:
/// that is the catalog's, of its cheapest transceivers.
std::vector<CableChoice> choices_of(const PriceModel& model, const Catalog& catalog, BitRate rate) {
  CableChoice out;
  out.key = "price model's";
  for (const CableChoice& choice : choices_for(catalog, rate)) {
    if (!choice.transceivers) continue;
    out.power = choice.power;
    break;
  }
  const double scale = model.transceiver_rate ? rate / *model.transceiver_rate : 1;
  out.price = *model.transceiver * (kEndsOfCable * scale);
  out.transceivers = true;
  out.reach = Metres(1e9);
  return {out};
}

class Pricing {
 public:
  Pricing(const NetworkDesign& design, const Scenario& scenario, std::int64_t most)
      : d_(design), s_(scenario), most_(most), counts_(count(design)), floor_(design, scenario.floor) {
    model_ = s_.catalog->prices.find(d_.input.prices);
    bundle_ = d_.input.bundle_planes ? static_cast<double>(d_.planes) : 1;
    const BitRate rate = d_.link_rate * bundle_;
    choices_ = model_ ? choices_of(*model_, *s_.catalog, rate) : choices_for(*s_.catalog, rate);
  }

  Bill bill() {
    add_switches();
    add_cables();
    add_wide_area();
    for (const BillLine& line : bill_.lines) {
      bill_.price += line.price;
      bill_.power_known += line.power.value_or(Watts(0));
    }
    return std::move(bill_);
  }

 private:
  void add_line(BillLine line) { bill_.lines.push_back(std::move(line)); }

  void add_switches() {
    if (counts_.chips == 0) return;
    const auto chips = static_cast<double>(counts_.chips);
    if (d_.by_circuits()) {
      const double ports = chips * static_cast<double>(d_.part.ports);
      add_line({fmt::format("optical circuit switch, {} ports", d_.part.ports), chips, std::nullopt,
                s_.floor.circuit_port_price * ports, s_.floor.circuit_port_power * ports,
                "floor.circuit_port_price"});
    } else {
      const Usd each = switch_price();
      add_line({d_.part.name, chips, each, each * chips, times(d_.part.power, chips),
                model_ && model_->switch_port ? model_->info.name : "catalog"});
    }
    bill_.price_switches = bill_.lines.back().price;
  }

  Usd switch_price() const {
    if (model_ && model_->switch_port) {
      const double scale = model_->switch_port_rate ? d_.link_rate / *model_->switch_port_rate : 1;
      return *model_->switch_port * (static_cast<double>(d_.part.ports) * scale);
    }
    if (d_.part.price) return *d_.part.price;
    if (d_.part.key.empty()) {
      fail_design(d_.input, "radix", "a hypothetical switch has no price in the catalog",
                  "name a switch, or a price model with a price of a port: prices = \"railonly23\"");
    }
    fail_design(
        d_.input, "switch", "'" + d_.part.key + "' has no price in the catalog",
        fmt::format("add it to your own catalog, [catalog.switches.{}] price, or use prices = \"railonly23\"",
                    d_.part.key));
  }

  void add_cables() {
    if (choices_.empty()) fail_design(d_.input, "prices", "no cable of the catalog has a price");
    const FabricCounts one = d_.fabric->counts();
    check_size(one);
    const double copies = static_cast<double>(d_.fabrics()) / bundle_;
    d_.fabric->visit_cables(floor_.endpoints_per_rack(), most_, [&](const CableRun& run) {
      const Metres length = floor_.length(run.a, run.b);
      add_run(length, run.links * copies, one.links[run.link_class].of_hosts);
    });
    for (const CableLine& line : bill_.cables) add_cable_line(line);
    if (fibre_metres_ > 0 && s_.floor.fibre_price.si() > 0 && !model_) {
      add_line({"fibre trunk, metres", fibre_metres_, s_.floor.fibre_price,
                s_.floor.fibre_price * fibre_metres_, Watts(0), "floor.fibre_price"});
    }
  }

  void check_size(const FabricCounts& one) {
    if (d_.fabric->clos()) {
      if (most_ == 0 && d_.fabric->endpoints() > kManyEndpoints) most_ = kSampledSwitches;
      return;
    }
    std::int64_t links = 0;
    for (const LinkCount& kind : one.links) links += kind.links;
    if (links > kMostLaidOut) {
      fail_design(
          d_.input, "hosts",
          fmt::format("{} links of a network are more than the {} that are laid out", links, kMostLaidOut),
          "fewer hosts, or a folded Clos network");
    }
  }

  /// One end of every wide-area link: the product of the longest reach. Fibre and amplifiers are not priced.
  void add_wide_area() {
    if (d_.gateways == 0 || d_.datacenters < 2 || model_) return;
    const LinkProduct* product = nullptr;
    std::string key;
    for (const auto& [name, link] : s_.catalog->links) {
      if (link.kind != LinkKind::transceiver || !link.price || (product && link.reach <= product->reach))
        continue;
      product = &link;
      key = name;
    }
    if (!product) return;
    const double ports = static_cast<double>(d_.gateways * d_.networks);
    const double ends = ports * std::ceil(d_.host_rate / product->rate - 1e-9);
    const Usd each = price_of(*product) / kEndsOfCable;
    add_line({key + " transceivers, wide area", ends, each, each * ends,
              times(power_of(*product), ends / kEndsOfCable), "catalog"});
  }

  void add_cable_line(const CableLine& line) {
    const char* of = line.of_hosts ? "to hosts" : "between switches";
    const double count = line.ends > 0 ? line.ends : line.cables;
    add_line({fmt::format("{}, {}", line.ends > 0 ? line.product + " transceivers" : line.product, of), count,
              count > 0 ? std::optional<Usd>(line.price / count) : std::nullopt, line.price, line.power,
              model_ ? model_->info.name : "catalog"});
    bill_.transceivers += line.ends;
    if (line.of_hosts) return;
    bill_.switch_transceivers += line.ends;
    bill_.price_switch_cables += line.price;
  }

  void add_run(Metres length, double cables, bool of_hosts) {
    const CableChoice& choice = choice_for(length);
    auto line = std::find_if(bill_.cables.begin(), bill_.cables.end(), [&](const CableLine& l) {
      return l.product == choice.key && l.of_hosts == of_hosts;
    });
    if (line == bill_.cables.end()) {
      bill_.cables.push_back({choice.key, 0, 0, 0, Metres(0), Usd(0), Watts(0), of_hosts});
      line = bill_.cables.end() - 1;
    }
    // The far end of a circuit is the switch's mirror: light ends at hosts only.
    const double ends = d_.by_circuits() ? 1 : kEndsOfCable;
    line->cables += cables * choice.parallel;
    if (choice.transceivers) {
      line->ends += cables * choice.parallel * ends;
      fibre_metres_ += cables * choice.parallel * length.si();
    }
    line->metres += cables * choice.parallel * length.si();
    line->longest = std::max(line->longest, length);
    line->price += choice.price * (cables * ends / kEndsOfCable);
    const auto power = times(choice.power, cables * ends / kEndsOfCable);
    line->power = line->power && power ? std::optional(*line->power + *power) : std::nullopt;
    add_length(length, cables);
  }

  void add_length(Metres length, double cables) {
    for (const double up_to : kLengthClasses_m) {
      if (length.si() > up_to) continue;
      auto at = std::find_if(bill_.lengths.begin(), bill_.lengths.end(),
                             [&](const LengthClass& c) { return c.up_to.si() >= up_to; });
      if (at == bill_.lengths.end() || at->up_to.si() > up_to)
        at = bill_.lengths.insert(at, {Metres(up_to), 0});
      at->cables += cables;
      return;
    }
  }

  const CableChoice& choice_for(Metres length) const {
    for (const CableChoice& choice : choices_) {
      if (choice.reach >= length && (!d_.by_circuits() || choice.transceivers)) return choice;
    }
    fail_design(d_.input, "prices",
                fmt::format("no cable of the catalog reaches {} m", std::ceil(length.si())),
                "a smaller [floor], or a link of your own with a longer reach: [catalog.links.NAME]");
  }

  const NetworkDesign& d_;
  const Scenario& s_;
  std::int64_t most_;
  DesignCounts counts_;
  FloorPlan floor_;
  const PriceModel* model_ = nullptr;
  double bundle_ = 1;
  std::vector<CableChoice> choices_;
  double fibre_metres_ = 0;
  Bill bill_;
};

}  // namespace

std::vector<std::string> Bill::power_unknown() const {
  std::vector<std::string> out;
  for (const BillLine& line : lines) {
    if (!line.power) out.push_back(line.item);
  }
  return out;
}

std::optional<Watts> Bill::power() const {
  return power_unknown().empty() ? std::optional(power_known) : std::nullopt;
}

Bill price(const NetworkDesign& design, const Scenario& scenario, std::int64_t most_runs) {
  return Pricing(design, scenario, most_runs).bill();
}

}  // namespace trainyard
