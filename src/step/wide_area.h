// Sites that train one model together: how far apart they are, what their exchange of gradients costs, and
// how much of it a step has to wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/sites_point.h"
#include "trainyard/units.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

struct ExchangePhases;
struct Plan;
struct Scenario;

/// The cost of an exchange; of `best`, and between regions, of the quickest at this rate without losses.
SiteExchange site_exchange(WideAreaExchange kind, const std::vector<std::vector<Seconds>>& delays,
                           std::int64_t region_sites, Bytes chunk, BytesPerSecond rate);

/// Probability that a packet is lost: 1 - (1 - b)^bits, or by the path's own loss.
double packet_loss_probability(const WideAreaInput& input);

/// Probability that more than `parity` of `data + parity` packets are lost.
double block_loss_probability(double packet_loss, std::int64_t data, std::int64_t parity);

/// Expected further rounds until every one of `count` independent packets or blocks has arrived, of which
/// each is lost with `first` in the first round and `later` in each further one: the mean of a maximum,
/// sum over i >= 1 of 1 - (1 - first later^(i-1))^count. Infinite beyond a million rounds.
double expected_repeats(double count, double first, double later);

/// The point of a plan whose datacenters are the sites, at a wide-area rate of each device. Times are
/// infinite where the exchange never ends.
SitesPoint sites_point(const Plan& plan, BitRate rate);

/// The same for sites of other places and sizes: `delays` between them, one way, in place of the scenario's,
/// and the smallest site's share of the devices. Every site sends and receives the same sums, whatever its
/// size, over as many devices as it has: with a rate for each device all wait for the smallest. Stages inside
/// a site are as in the plan. Says why there is none where the smallest site holds no copy of the model, or
/// the exchange never ends.
SitesPoint sites_point(const Plan& plan, BitRate rate, const std::vector<std::vector<Seconds>>& delays,
                       double least_share);

class SiteStep;

/// The batch time of a plan's sites over that of an exchange between sites that takes no time, for searches
/// over many divisions: no allocation for up to three sites, and where the exchange is hidden.
class SiteSlowdown {
 public:
  /// The plan has to outlive it. Its datacenters are the sites.
  SiteSlowdown(const Plan& plan, BitRate rate);

  /// As sites_point() of the same division, for distances between places (no way around is shorter).
  /// Infinite where that has no plan.
  double at(const std::vector<std::vector<Seconds>>& delays, double least_share) const;

  /// Time of the plan's batch with an exchange between sites that takes none.
  Seconds undisturbed_batch() const { return undisturbed_; }

  /// About how long at() takes, in times of one that need not try every order of a ring.
  double effort() const { return effort_; }

 private:
  /// An exchange whose delay is known from the longest link, or for a tree, from that and its depth.
  struct Direct {
    Seconds even;       // to send an even share
    double delays = 0;  // of the longest link, one way, repeats counted; a tree's: of repeats alone
  };

  /// The exchanges of one way to sum.
  struct Known {
    std::vector<Direct> direct;
    std::optional<Direct> tree;
  };

  void add_known(Bytes between);
  /// A layer's exchange by one of the step's sums.
  ExchangePhases quickest(std::size_t sum, const std::vector<std::vector<Seconds>>& delays,
                          double unevenness) const;

  const Plan& plan_;
  BitRate rate_;
  std::shared_ptr<const SiteStep> step_;
  Seconds undisturbed_;
  std::vector<Known> known_;   // one for each of the step's sums
  bool known_is_all_ = false;  // no other exchange can be quicker
  double effort_ = 1;
};

}  // namespace trainyard
