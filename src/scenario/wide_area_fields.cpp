#include <fmt/core.h>

#include "base/distinct.h"
#include "scenario/checks.h"
#include "scenario/choices/transports.h"
#include "scenario/choices/wide_area.h"
#include "scenario/sections.h"
#include "scenario/transport_facts.h"
#include "scenario/transport_sections.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMostSites = 8;
constexpr std::size_t kMostPaths = 64;
constexpr std::int64_t kMostOfBlock = 255;

/// Complains at the place of a key.
class WideAreaChecker {
 public:
  WideAreaChecker(const Scenario& scenario, const Table& document, Findings& findings)
      : s_(scenario), document_(document), findings_(findings) {}

  void check() {
    check_sites();
    check_block("wide_area.code_parity", s_.wide_area.code_data + s_.wide_area.code_parity);
    check_parameters();
    check_paths();
    check_transports();
  }

 private:
  void complain(std::string_view path, std::string message, std::string help) {
    findings_.add(locate(document_, path, s_.source_name), std::move(message), std::move(help));
  }

  void check_sites() {
    const auto& sites = s_.wide_area.sites;
    if (sites.size() > static_cast<std::size_t>(kMostSites))
      complain("wide_area.sites", fmt::format("{} sites", sites.size()),
               fmt::format("at most {} are compared", kMostSites));
    for (const std::vector<double>& site : sites) {
      if (site.size() != 2 || std::abs(site[0]) > 90)
        return complain("wide_area.sites", "a site is a latitude of -90 to 90 and a longitude of -180 to 180",
                        "[[45.6, -121.2], [39.0, -77.5]]");
    }
  }

  void check_block(std::string_view path, std::int64_t packets) {
    if (packets > kMostOfBlock)
      complain(path, fmt::format("blocks of {} packets", packets),
               fmt::format("data and parity together are at most {}", kMostOfBlock));
  }

  /// Of transports, each by its record.
  void check_parameters() {
    each_transport_section(s_.transports, [&](const std::string& section, const auto& record, const auto&) {
      const auto complain_at = [&](const char* key, std::string message, std::string help) {
        complain(section + "." + key, std::move(message), std::move(help));
      };
      if constexpr (requires { record.check(complain_at); }) record.check(complain_at);
    });
  }

  void check_paths() {
    const LongHaulInput& h = s_.long_haul;
    if (h.path_rates.empty() || h.path_rates.size() > kMostPaths)
      complain("long_haul.path_rates", fmt::format("{} paths", h.path_rates.size()),
               fmt::format("1 to {}", kMostPaths));
    if (h.path_rtts.size() != 1 && h.path_rtts.size() != h.path_rates.size())
      complain("long_haul.path_rtts",
               fmt::format("{} round-trip times for {} paths", h.path_rtts.size(), h.path_rates.size()),
               "one for all paths, or one for each");
    for (const Seconds rtt : h.path_rtts) {
      if (rtt > Seconds(10) || rtt <= 4 * h.site_delay)
        return complain("long_haul.path_rtts",
                        "a round trip no longer than the four site delays in it, or above 10 s",
                        "a longer long_haul.path_rtts or a shorter long_haul.site_delay");
    }
    const bool simulated = h.exchange == WideAreaExchange::all_pairs ||
                           h.exchange == WideAreaExchange::scatter || h.exchange == WideAreaExchange::ring;
    if (!simulated)
      complain("long_haul.exchange", fmt::format("'{}' is not simulated", choice_name(h.exchange)),
               "all_pairs, scatter or ring");
    if (h.sites > 2 && !h.both_directions)
      complain("long_haul.both_directions", "more than two sites send in both directions", "true");
    if (h.bit_error_rates.empty())
      complain("long_haul.bit_error_rates", "no bit-error rate", "[0] for a path without errors");
  }

  void check_transports() {
    for (const Transport transport : s_.long_haul.transports) {
      const bool lossless = facts_of(transport).lossless;
      if (transport == Transport::ideal || lossless)
        complain("long_haul.transports", fmt::format("'{}'", choice_name(transport)),
                 lossless ? "links between sites are not paused: transports that bear losses"
                          : "transports that send packets");
    }
  }

  const Scenario& s_;
  const Table& document_;
  Findings& findings_;
};

/// "cubic, bbr, ..."
std::string names_of(const std::vector<Transport>& transports) {
  std::string out;
  for (const Transport transport : transports) {
    if (!out.empty()) out += ", ";
    out += choice_name(transport);
  }
  return out;
}

}  // namespace

void check_wide_area(const Scenario& scenario, const Table& document, Findings& findings) {
  WideAreaChecker(scenario, document, findings).check();
}

const FieldTable<WideAreaInput>& wide_area_fields() {
  using W = WideAreaInput;
  static const FieldTable<W> table = {
      field("sites", &W::sites, between(-180, 180),
            "Latitude and longitude of each site in degrees, in the order in which they are taken; without "
            "them all sites are network.wide_area_rtt apart."),
      field("fibre_ratio", &W::fibre_ratio, between(1, 10),
            "Length of a fibre route over the great circle's.")
          .from("Bozkurt et al. 2018 (arXiv 1811.10737): the median of 120 US cities"),
      field("refractive_index", &W::refractive_index, between(1, 2), "Of the fibre.")
          .from("group index of standard single-mode fibre at 1550 nm (ITU-T G.652 products)"),
      field("most_sites", &W::most_sites, between(1, 8), "Numbers of sites that are compared: 1 to this."),
      field("exchange", &W::exchange, "How sites sum their gradients."),
      field("region_sites", &W::region_sites, between(2, 8),
            "Neighbouring sites that sum among themselves first, for exchange = \"regions\"."),
      field("region_rtt", &W::region_rtt, at_least(0),
            "Round-trip time inside a region without wide_area.sites.")
          .from("100 km of route and back, and equipment"),
      field("compression", &W::compression, between(1, 1e6),
            "Bytes of the exchange over bytes sent; what it does to training is not modelled."),
      field(
          "sync_every", &W::sync_every, between(1, 1e6),
          "Batches from one exchange between sites to the next (DiLoCo, Douillard et al. 2023); what it does "
          "to training is not modelled."),
      field("bit_error_rate", &W::bit_error_rate, between(0, 1e-3),
            "Of a path between sites, after its coding.")
          .from("IEEE 802.3 asks for 1e-12 or better"),
      field("packet_loss", &W::packet_loss, between(0, 0.5), "Of a path, beside bit errors."),
      field("packet", &W::packet, between(64, 65535), "Bytes of a packet between sites."),
      field("code_data", &W::code_data, between(1, 254),
            "Data packets of a block of forward error correction."),
      field("code_parity", &W::code_parity, between(0, 254), "Parity packets of a block; 0: none."),
      field("largest_exposed_share", &W::largest_exposed_share, between(0, 1),
            "Share of the step that the wide area may add before there are too many sites."),
  };
  return table;
}

const FieldTable<LongHaulInput>& long_haul_fields() {
  using L = LongHaulInput;
  static const FieldTable<L> table = {
      field("senders", &L::senders, between(1, 2000),
            "Hosts of each site; each sums with its counterparts in the other sites."),
      field("sites", &L::sites, between(2, kMostSites), "Sites, every one as far from every other."),
      field("exchange", &L::exchange,
            "How more than two sites sum: all_pairs, scatter or ring; flows wait for what they pass on."),
      field("host_rate", &L::host_rate, positive(), "Rate of a host's link."),
      field("site_delay", &L::site_delay, positive(), "Delay of a host's link: of all the site's network."),
      field("path_rates", &L::path_rates, positive(), "Rate of each path of a site to all others."),
      field("path_rtts", &L::path_rtts, positive(), "Round-trip time of each path, or of all of them."),
      field("bytes", &L::bytes, positive(), "Bytes of a flow.")
          .otherwise("what a device sends of a layer's gradients by the scenario's plan"),
      field("both_directions", &L::both_directions, "Whether both of two sites send."),
      distinct_field("transports", &L::transports, "What is compared.")
          .otherwise(names_of(transports_between_sites())),
      distinct_field("bit_error_rates", &L::bit_error_rates, between(0, 1e-3),
                     "Of every path; each is a run."),
      field("queue", &L::queue, positive(), "Data that may wait at a port of a site's border.")
          .otherwise("the fastest path's bandwidth-delay product"),
      field("window", &L::window, between(1, 1e7), "First window of cubic and bbr, packets.")
          .from("RFC 6928"),
      field("local_flows", &L::local_flows, between(0, 1000),
            "Flows to each host from others of its site, to be compared with and without priority for the "
            "wide area."),
      field("local_bytes", &L::local_bytes, positive(), "Bytes of each of them."),
  };
  return table;
}

}  // namespace trainyard
