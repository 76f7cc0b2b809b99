#include "goodput/outages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "trainyard/units.h"

namespace trainyard {
namespace {

/// Two points of Gauss and Legendre on 0 to 1, each for half of it.
constexpr std::array<double, 2> kHalves = {0.21132486540518712, 0.7886751345948129};

/// Outages that are there at both of two moments, at the first alone, and at the second alone.
struct Overlap {
  Chances both, first, second;
};

Overlap overlap_of(const std::vector<HostOutage>& outages, double first_s, double lag_s, std::int64_t most) {
  std::map<std::int64_t, std::array<double, 3>> means;
  for (const HostOutage& outage : outages) {
    const double mean = outage.rate_per_s * outage.repair_s;
    const double ended = -std::expm1(-lag_s / outage.repair_s);
    const double at_first = mean * -std::expm1(-first_s / outage.repair_s);
    std::array<double, 3>& of_size = means[outage.servers];
    of_size[0] += at_first * (1 - ended);
    of_size[1] += at_first * ended;
    of_size[2] += mean * ended;
  }
  Overlap out{none_gone(most), none_gone(most), none_gone(most)};
  for (const auto& [size, mean] : means) {
    out.both = with_failures(out.both, mean[0], size);
    out.first = with_failures(out.first, mean[1], size);
    out.second = with_failures(out.second, mean[2], size);
  }
  return out;
}

/// The queue at moments of the time, shorter apart where it begins.
class QueueThen {
 public:
  QueueThen(CrewQueue queue, double time_s) : time_s_(time_s) {
    for (int i = 0; i <= kMoments; ++i) {
      queue.advance_to(time_s * i * i / (kMoments * kMoments));
      chances_.push_back(queue.chances());
    }
  }

  std::vector<double> at(double since_s) const {
    const double share = since_s / time_s_;  // rounded below 0, or of times that no number holds
    const double place = share > 0 ? std::min(std::sqrt(share) * kMoments, kMoments - 1e-9) : 0;
    const auto before = static_cast<std::size_t>(place);
    const double after = place - static_cast<double>(before);
    std::vector<double> out(chances_[before]);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += after * (chances_[before + 1][i] - out[i]);
    return out;
  }

 private:
  static constexpr int kMoments = 16;
  double time_s_;
  std::vector<std::vector<double>> chances_;
};

class Covariance {
 public:
  Covariance(const std::vector<HostOutage>& outages, const CrewQueue& queue, double servers,
             const std::vector<double>& served, double time_s)
      : outages_(outages), queue_(queue), served_(served), then_(queue, time_s) {
    for (const double repairs : queue.counts())
      gone_.push_back(static_cast<std::size_t>(std::round(repairs * servers)));
  }

  /// Of what is served at a moment and so long before, less that of its mean over the outages.
  double of(double moment_s, double lag_s) const {
    Overlap there =
        overlap_of(outages_, moment_s - lag_s, lag_s, static_cast<std::int64_t>(served_.size()) - 1);
    const std::vector<double> first = averaged(served_, there.first);
    const std::vector<double> second = averaged(served_, there.second);
    const std::vector<double> mean_first = averaged(first, there.both);
    const std::vector<double> mean_second = averaged(second, there.both);
    // More of them than the job can lack serve nothing.
    there.both.push_back(1 - std::accumulate(there.both.begin(), there.both.end(), 0.0));
    const std::vector<std::size_t> likely = likely_counts(there.both);
    const std::vector<double> repairs = then_.at(moment_s - lag_s);
    std::vector<std::vector<double>> carried(likely.size(), repairs);
    for (std::size_t k = 0; k < likely.size(); ++k)
      for (std::size_t i = 0; i < gone_.size(); ++i)
        carried[k][i] *= at(first, gone_[i] + likely[k]) - at(mean_first, gone_[i]);
    queue_.carry_on(carried, lag_s);
    double out = 0;
    for (std::size_t k = 0; k < likely.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < gone_.size(); ++i)
        sum += carried[k][i] * (at(second, gone_[i] + likely[k]) - at(mean_second, gone_[i]));
      out += there.both[likely[k]] * sum;
    }
    return out;
  }

 private:
  static double at(const std::vector<double>& share, std::size_t gone) {
    return gone < share.size() ? share[gone] : 0;
  }

  static std::vector<std::size_t> likely_counts(const Chances& chances) {
    constexpr double kNegligible = 1e-9;
    std::vector<std::size_t> out;
    for (std::size_t n = 0; n < chances.size(); ++n)
      if (chances[n] > kNegligible) out.push_back(n);
    return out;
  }

  const std::vector<HostOutage>& outages_;
  const CrewQueue& queue_;
  const std::vector<double>& served_;
  QueueThen then_;
  std::vector<std::size_t> gone_;  // servers, by state of the queue
};

}  // namespace

Chances with_outages(Chances gone, const std::vector<HostOutage>& outages) {
  std::map<std::int64_t, double> means;
  for (const HostOutage& outage : outages) means[outage.servers] += outage.rate_per_s * outage.repair_s;
  for (const auto& [size, mean] : means) gone = with_failures(gone, mean, size);
  return gone;
}

std::vector<double> averaged(const std::vector<double>& served, const Chances& more) {
  constexpr double kNegligible = 1e-12;
  std::vector<std::pair<std::size_t, double>> likely;
  for (std::size_t n = 0; n < more.size(); ++n)
    if (more[n] > kNegligible) likely.emplace_back(n, more[n]);
  std::vector<double> out(served.size(), 0);
  for (std::size_t gone = 0; gone < served.size(); ++gone)
    for (const auto& [n, chance] : likely)
      if (gone + n < served.size()) out[gone] += chance * served[gone + n];
  return out;
}

OutageSpread outage_spread(const std::vector<HostOutage>& outages, const CrewQueue& queue, double servers,
                           const std::vector<double>& served, double time_s) {
  constexpr double kRepairs = 12;  // after which no outage is left
  constexpr int kParts = 6;        // of a lag's cube root: lags lie closer where they are short
  double longest_s = 0;
  for (const HostOutage& outage : outages) longest_s = std::max(longest_s, kRepairs * outage.repair_s);
  longest_s = std::min(longest_s, time_s);
  const Covariance covariance(outages, queue, servers, served, time_s);
  const auto with_moment = [&](double moment_s) {
    const double most_s = std::min(moment_s, longest_s);
    double out = 0;
    for (int i = 0; i < kParts; ++i) {
      for (const double place : kHalves) {
        const double root = (i + place) / kParts;
        out += covariance.of(moment_s, most_s * root * root * root) * 3 * root * root;
      }
    }
    return out * most_s / (2 * kParts);
  };
  OutageSpread out{.with_end_s = with_moment(time_s)};
  const std::array<double, 3> edges = {0, longest_s, time_s};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double span_s = edges[i + 1] - edges[i];
    for (const double place : kHalves)
      if (span_s > 0) out.variance_s2 += span_s * with_moment(edges[i] + span_s * place);
  }
  return out;
}

}  // namespace trainyard
