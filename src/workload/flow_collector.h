// What the readers of flow files share: flows and dependencies, each checked where it stands in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace trainyard {
class ForeignText;
}

namespace trainyard::workload {

class FlowCollector {
 public:
  FlowCollector(const ForeignText& text, std::int64_t hosts, std::size_t most_flows)
      : text_(text), hosts_(hosts), most_flows_(most_flows) {}

  /// Room for so many flows.
  void reserve(std::size_t flows) {
    out_.flows.reserve(flows);
    pieces_.reserve(flows);
  }
  std::uint32_t host(std::string_view piece) const;
  std::uint64_t bytes(std::string_view piece) const;
  /// The number of the flow. `from` is where it stands.
  std::uint32_t add(const Flow& flow, std::string_view from);
  /// `piece` is where the dependency stands.
  void depend(std::uint32_t before, std::uint32_t after, bool on_receipt, std::string_view piece);
  /// The number of a lineup for depend(), when all flows have been added.
  std::uint32_t line_up(Lineup flows);
  /// A flow is the next message of its connection, whose first flow that is; `piece` is where it says so.
  void continue_connection(std::uint32_t first, std::uint32_t flow, std::string_view piece);
  /// The host that sends a flow.
  std::uint32_t from(std::uint32_t flow) const { return out_.flows[flow].from; }
  std::size_t flows() const { return out_.flows.size(); }
  /// Where a flow stands.
  std::string_view piece(std::uint32_t flow) const { return pieces_[flow]; }
  /// What was collected, when it holds flows and none of them wait for themselves.
  Workload finish();

 private:
  /// Sequence numbers of a connection's packets have 32 bits, as those of a flow.
  void check_connections() const;
  /// Of each flow; of a large file, the file.
  PlaceOfFlow place();

  const ForeignText& text_;
  std::int64_t hosts_;
  std::size_t most_flows_;
  Workload out_;
  std::vector<std::string_view> pieces_;                // where each flow stands
  std::map<std::uint32_t, std::size_t> connection_of_;  // by first flow: its place in out_.connections
};

}  // namespace trainyard::workload
