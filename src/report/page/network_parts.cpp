#include "report/page/network_parts.h"

#include <cmath>

#include "report/data/show.h"
#include "report/page/page_table.h"
#include "report/text/network_table.h"
#include "trainyard/networks_compared.h"

namespace trainyard {

std::string network_comparison(const std::vector<NetworkAnswer>& answers) {
  const NetworkTable compared = network_table(answers);
  std::vector<PageColumn> columns = {{""}};
  for (const std::string& name : compared.names) columns.push_back(number_column(name));
  PageTable table(columns);
  for (const NetworkTable::Line& line : compared.lines) {
    if (line.label.empty()) continue;
    std::vector<std::string> cells = {line.label};
    cells.insert(cells.end(), line.cells.begin(), line.cells.end());
    table.row(cells);
  }
  return table.html();
}

PageTable bill_table() {
  return {{"design"},
          {"item"},
          number_column("count"),
          number_column("each"),
          number_column("price"),
          number_column("power"),
          {"source"}};
}

void add_bill(PageTable& table, const std::string& design, const Bill& bill) {
  for (const BillLine& line : bill.lines)
    table.row({design, line.item, grouped(std::llround(line.count)), line.each ? show(*line.each) : "",
               show(line.price), line.power ? show(*line.power) : "unknown", line.source});
}

}  // namespace trainyard
