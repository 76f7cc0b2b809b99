// Files of flows: what is sent, when, and which flows wait for others.
#pragma once

#include <cstdint>
#include <memory>

#include "workload/workload.h"

namespace trainyard {
struct SourceText;
}

namespace trainyard::workload {

constexpr std::size_t kMostFlowsOfFile = 20'000'000;

/// Comma-separated values. The first line names the columns, in any order:
///   from, to    hosts, from 0
///   bytes       of the flow, at least 1
///   start_s     seconds; a flow that waits for others begins no sooner than this
///   id          (optional) a name without blanks and semicolons
///   after       (optional) ids, separated by blanks or semicolons: the flow begins when the last byte of all
///               of them was received
///   after_sent  (optional) the same, when the senders of all of them know that everything arrived
///   path, path_back  (optional) where flows have one path each, the path of what the sender and what the
///               receiver sends, among those up from its leaf: uplink of the leaf * uplinks of an aggregation
///               switch + uplink of that switch; empty: by hash. An error where there are no `paths`.
/// Blank lines and lines that begin with '#' are left out. Fields may be in quotes.
/// Throws InputError for whatever is wrong, with its line and column.
Workload read_flow_file(const std::shared_ptr<const SourceText>& text, std::int64_t hosts,
                        std::size_t most_flows = kMostFlowsOfFile, std::uint32_t paths = 0);

/// htsim's connection matrices (.cm), as its ConnectionMatrix::load reads them:
///   Nodes n, Connections n, Triggers n, Failures n
///   src->dst [id n] (start picoseconds | trigger n) size bytes [send_done_trigger n] [recv_done_trigger n]
///            [prio n] [msg [n]]
///   trigger id n (oneshot | multishot | barrier count n)
/// A trigger becomes dependencies: of a oneshot on the flow that fires it, of a barrier on all of them, of a
/// multishot in a chain on the flow before; any other multishot becomes a lineup. Other triggers whose order
/// of events decides what begins are errors, as are failure lines (scenarios have [[failure]]). `prio` is
/// left out: in htsim only the receivers of NDP look at it. Throws InputError for whatever is wrong, with its
/// line and column.
Workload read_connection_matrix(const std::shared_ptr<const SourceText>& text, std::int64_t hosts,
                                std::size_t most_flows = kMostFlowsOfFile);

}  // namespace trainyard::workload
