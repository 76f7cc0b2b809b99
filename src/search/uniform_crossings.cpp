#include "search/uniform_crossings.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "topology/clos_shape.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

std::int64_t endpoints_in_both(std::int64_t a_begin, std::int64_t a_end, std::int64_t b_begin,
                               std::int64_t b_end) {
  return std::max<std::int64_t>(0, std::min(a_end, b_end) - std::max(a_begin, b_begin));
}

/// Consecutive endpoints of a network, by sections: the first and the last one in part, others whole.
struct Stretch {
  DealtEndpoints dealt;
  std::int64_t begin;
  std::int64_t end;

  /// In the section that begins here.
  std::int64_t in_section(std::int64_t at) const {
    return endpoints_in_both(begin, end, at, at + dealt.section());
  }
  std::int64_t first_section() const { return begin / dealt.section(); }
  std::int64_t last_section() const { return (end - 1) / dealt.section(); }
  std::int64_t whole_sections() const {
    return std::max<std::int64_t>(0, last_section() - first_section() - 1);
  }

  /// Endpoints of an HB domain.
  std::int64_t of_domain(std::int64_t domain) const {
    const auto in = [&](std::int64_t section) {
      const std::int64_t at = section * dealt.section() + domain * dealt.together;
      return endpoints_in_both(begin, end, at, at + dealt.together);
    };
    const std::int64_t parts =
        first_section() == last_section() ? in(first_section()) : in(first_section()) + in(last_section());
    return whole_sections() * dealt.together + parts;
  }

  /// Sum over HB domains of what has `of_domain` endpoints squared: they differ at both ends only.
  double domain_squares() const {
    const auto domain_at = [&](std::int64_t endpoint) { return endpoint % dealt.section() / dealt.together; };
    std::array<std::int64_t, 6> cuts = {
        0, domain_at(begin), domain_at(begin) + 1, domain_at(end - 1), domain_at(end - 1) + 1, dealt.domains};
    std::sort(cuts.begin(), cuts.end());
    double sum = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      const auto each = static_cast<double>(of_domain(cuts[i]));
      sum += each * each * static_cast<double>(cuts[i + 1] - cuts[i]);
    }
    return sum;
  }

  /// Ordered pairs of endpoints inside and outside that have the same rank, which is section and place.
  double pairs_of_ranks() const {
    double sum = 0;
    for (const std::int64_t section : {first_section(), last_section()}) {
      for (std::int64_t place = 0; place < dealt.together; ++place) {
        const std::int64_t at = section * dealt.section();
        const auto inside = static_cast<double>(
            of_place(std::max(begin, at) - at, std::min(end, at + dealt.section()) - at, place));
        sum += inside * (static_cast<double>(dealt.domains) - inside);
      }
      if (first_section() == last_section()) break;
    }
    return sum;
  }

 private:
  /// Numbers in [from, to) that leave `place` when divided by `together`.
  std::int64_t of_place(std::int64_t from, std::int64_t to, std::int64_t place) const {
    const auto below = [&](std::int64_t n) { return (n - place + dealt.together - 1) / dealt.together; };
    return below(to) - below(from);
  }
};

DealtEndpoints dealt_by(const NetworkDesign& d) {
  const std::int64_t together = d.dealing().together(d);
  const std::int64_t endpoints = d.dealing().endpoints(d);
  return {endpoints / (d.domains * together), d.domains, together};
}

}  // namespace

UniformCrossings::UniformCrossings(const NetworkDesign& design)
    : dealt_(dealt_by(design)),
      forwarded_(static_cast<double>(design.domain - dealt_.of_domain())),
      sent_(static_cast<double>((design.domains - 1) * design.domain)) {}

/// Bytes that leave a stretch of endpoints; as many enter.
double UniformCrossings::leaving(std::int64_t begin, std::int64_t end) const {
  end = std::min(end, dealt_.all());  // gateways stand at the end
  if (begin >= end) return 0;
  const Stretch stretch{dealt_, begin, end};
  const auto inside = static_cast<double>(end - begin);
  const auto outside = static_cast<double>(dealt_.all()) - inside;
  const double of_one_domain = inside * static_cast<double>(dealt_.of_domain()) - stretch.domain_squares();
  return inside * outside - of_one_domain + forwarded_ * stretch.pairs_of_ranks();
}

double UniformCrossings::worst(const ClosShape& shape, std::int64_t leaves_of_block) {
  const auto known = known_.find({shape.leaves(), leaves_of_block});
  if (known != known_.end()) return known->second;
  double most = 0;
  for (std::int64_t leaf = 0; leaf < shape.leaves(); leaf += leaves_of_block) {
    most = std::max(most, leaving(share_begin(shape.endpoints, shape.leaves(), leaf),
                                  share_begin(shape.endpoints, shape.leaves(), leaf + leaves_of_block)));
  }
  return known_.emplace(std::pair(shape.leaves(), leaves_of_block), most).first->second;
}

double UniformCrossings::share(const NetworkDesign& design) {
  const ClosShape& shape = *design.fabric->clos();
  double share = 1;
  if (sent_ == 0) return share;
  for (std::size_t t = 0; t < shape.top(); ++t) {
    const double crossing = worst(shape, shape.leaves() / shape.blocks(t));
    if (crossing == 0) continue;
    const auto up = static_cast<double>(shape.width(t) * shape.tiers[t].uplinks * design.planes);
    const double rate = design.link_rate.si() * up;
    share = std::min(share, (sent_ / design.host_rate.si()) / (crossing / rate));
  }
  return share;
}

}  // namespace trainyard
