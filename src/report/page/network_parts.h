// What pages say of network designs.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Bill;
struct NetworkAnswer;
class PageTable;

/// Designs beside each other, a column each.
std::string network_comparison(const std::vector<NetworkAnswer>& answers);

/// Columns of a bill of materials.
PageTable bill_table();
void add_bill(PageTable& table, const std::string& design, const Bill& bill);

}  // namespace trainyard
