// What uses a setting of [simulation]: bits of FieldInfo::readers.
#pragma once

namespace trainyard::simulation_reader {

constexpr unsigned kPackets = 1;      // the packet engine
constexpr unsigned kRates = 2;        // the flow-level engine; also what it refuses
constexpr unsigned kIdeal = 4;        // transport 'ideal'; also what it refuses
constexpr unsigned kOwnFlows = 8;     // all of them, but where a file holds the flows
constexpr unsigned kOwnNetwork = 16;  // those named, but where a file holds the network
constexpr unsigned kAll = kPackets | kRates | kIdeal;

}  // namespace trainyard::simulation_reader
