// [[probe]] as ports and flows by their numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "network/wiring/layout.h"
#include "trainyard/packet_records.h"
#include "trainyard/units.h"

namespace trainyard {

struct ProbeInput;

/// Every end of a link that is asked for, and every flow. Throws InputError for what is not there.
std::vector<packet::Probe> probes_of(const std::vector<ProbeInput>& inputs, const wiring::Layout& layout,
                                     std::size_t flows);

/// Throws InputError at the first of them where a run that takes no less than this would have more samples
/// than are kept.
void check_sample_count(const std::vector<packet::Probe>& probes, const std::vector<ProbeInput>& inputs,
                        Seconds least);

}  // namespace trainyard
