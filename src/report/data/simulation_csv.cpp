#include <optional>
#include <string_view>
#include <utility>

#include "base/finite.h"
#include "report/data/csv.h"
#include "trainyard/report/simulation.h"
#include "trainyard/simulation_result.h"

namespace trainyard {
namespace {

/// Seconds of a time, or nothing when it never came.
std::optional<double> moment(Picoseconds time) {
  if (time == kNever) return std::nullopt;
  return static_cast<double>(time) / kPicosecondsPerSecond;
}

std::string_view name_of(packet::TraceEvent event) {
  switch (event) {
    case packet::TraceEvent::sent:
      return "sent";
    case packet::TraceEvent::queued:
      return "queued";
    case packet::TraceEvent::left:
      return "left";
    case packet::TraceEvent::received:
      return "received";
    case packet::TraceEvent::cut:
      return "cut";
    case packet::TraceEvent::dropped:
      return "dropped";
    case packet::TraceEvent::lost:
      return "lost";
  }
  return "";
}

std::string_view name_of(packet::PacketKind kind) {
  switch (kind) {
    case packet::PacketKind::data:
      return "data";
    case packet::PacketKind::header:
      return "header";
    case packet::PacketKind::ack:
      return "ack";
    case packet::PacketKind::nack:
      return "nack";
    case packet::PacketKind::pull:
      return "pull";
    case packet::PacketKind::pause:
      return "pause";
  }
  return "";
}

}  // namespace

std::string simulation_csv(const SimulationResult& r) {
  CsvTable table("flow,from,to,bytes,start_s,began_s,received_s,finished_s,slowdown");
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const workload::Flow& flow = r.flows[f];
    table.row(f, flow.from, flow.to, flow.bytes, moment(flow.start), moment(flow.began),
              moment(flow.received), moment(flow.finished), if_any(r.slowdowns.at(f)));
  }
  return std::move(table).text();
}

std::string trace_csv(const SimulationResult& r) {
  CsvTable table("time_s,node,port,event,flow,sequence,kind,bytes");
  for (const packet::TraceEntry& entry : r.trace)
    table.row(moment(entry.time), r.trace_nodes.at(entry.node), entry.port, name_of(entry.event), entry.flow,
              entry.sequence, name_of(entry.kind), entry.bytes);
  return std::move(table).text();
}

}  // namespace trainyard
