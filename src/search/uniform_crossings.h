// What uniform all-to-all traffic sends over the boundaries of blocks of endpoints, in closed form.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace trainyard {

struct ClosShape;
struct NetworkDesign;

/// The endpoints of one network as they are dealt: `sections` of all HB domains, each with `together`
/// consecutive endpoints in turn.
struct DealtEndpoints {
  std::int64_t sections = 1;
  std::int64_t domains = 1;
  std::int64_t together = 1;

  std::int64_t of_domain() const { return sections * together; }
  std::int64_t section() const { return domains * together; }
  std::int64_t all() const { return sections * section(); }
};

/// All to all among the hosts of designs that deal devices alike: every device sends a byte to every one of
/// the other HB domains; what goes to a rank of another network is forwarded by its own HB domain.
class UniformCrossings {
 public:
  explicit UniformCrossings(const NetworkDesign& design);

  /// The share of a host's rate that the design, a folded Clos network, leaves to all to all. Exact where
  /// packets are sprayed evenly over the links of a block.
  double share(const NetworkDesign& design);

 private:
  double worst(const ClosShape& shape, std::int64_t leaves_of_block);
  double leaving(std::int64_t begin, std::int64_t end) const;

  DealtEndpoints dealt_;
  double forwarded_ = 0;  // ranks of an HB domain in other networks
  double sent_ = 0;       // bytes of a host
  std::map<std::pair<std::int64_t, std::int64_t>, double> known_;
};

}  // namespace trainyard
