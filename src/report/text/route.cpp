#include "trainyard/route.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "trainyard/report/networks.h"

namespace trainyard {

std::string route_text(const RouteAnswer& answer) {
  std::string out = fmt::format("from device {} to device {} of {}", answer.from, answer.to, answer.design);
  for (const std::string& name : answer.failed) out += ", without " + name;
  if (answer.nodes.empty()) return out + "\n   no way is left\n";
  out += fmt::format("\n   {}, {}{}\n", counted(answer.kinds.size(), "link"),
                     counted(fmt::format("{}", answer.paths), "shortest path"),
                     answer.through_domain ? ", through an HB domain" : "");
  for (std::size_t i = 0; i < answer.nodes.size(); ++i) {
    out += fmt::format("   {:<44} {}\n", answer.nodes[i], i < answer.kinds.size() ? answer.kinds[i] : "");
  }
  return out;
}

}  // namespace trainyard
