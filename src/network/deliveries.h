// What delivery modes of Ultra Ethernet mean for flows: what may wait for them, and when they end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/flow.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard {

/// Receivers that remember nothing (Delivery::rudi) do not know when a flow is whole: what waits for its
/// receipt waits for the sender's word. Throws InputError at simulation.delivery where flows wait for what
/// may be lost for good (Delivery::uud).
void wait_by_delivery(std::optional<Delivery> delivery, std::vector<workload::Dependency>& dependencies);

/// Ends flows whose senders do not know what arrived: with the last packet that did. Of a flow that lacks
/// bytes the last one was never received.
void end_by_arrival(std::vector<workload::Flow>& flows, const std::vector<std::uint64_t>& lost_bytes);

}  // namespace trainyard
