#include "trainyard/route.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/report/networks.h"

namespace trainyard {
std::string route_json(const RouteAnswer& answer, const Provenance& provenance) {
  Json json = {{"design", answer.design}, {"from", answer.from},
               {"to", answer.to},         {"failed", answer.failed},
               {"nodes", answer.nodes},   {"links", answer.kinds},
               {"paths", answer.paths},   {"through_domain", answer.through_domain}};
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string route_csv(const RouteAnswer& answer) {
  CsvTable table("hop,node,link");
  for (std::size_t i = 0; i < answer.nodes.size(); ++i)
    table.row(i, answer.nodes[i], i < answer.kinds.size() ? answer.kinds[i] : std::string());
  return std::move(table).text();
}

}  // namespace trainyard
