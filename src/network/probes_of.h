// [[probe]] as ports and flows by their numbers.
#pragma once

#include <vector>

#include "network/wiring/layout.h"
#include "trainyard/packet_records.h"
#include "trainyard/units.h"
#include "workload/connections.h"

namespace trainyard {

struct ProbeInput;

/// Every end of a link that is asked for, and every connection of a flow. Throws InputError for what is not
/// there.
std::vector<packet::Probe> probes_of(const std::vector<ProbeInput>& inputs, const wiring::Layout& layout,
                                     const workload::Workload& workload,
                                     const workload::Connections& connections);

/// Throws InputError at the first of them where a run that takes no less than this would have more samples
/// than are kept.
void check_sample_count(const std::vector<packet::Probe>& probes, const std::vector<ProbeInput>& inputs,
                        Seconds least);

}  // namespace trainyard
