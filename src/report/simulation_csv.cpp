#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "report/simulation_text.h"

namespace trainyard {
namespace {

/// Seconds of a time, or nothing when it never came.
std::string moment(Picoseconds time) {
  return time == kNever ? "" : number_text(static_cast<double>(time) / kPicosecondsPerSecond);
}

/// Of a flow that finished.
std::string slowdown(const SimulationResult& r, std::size_t flow) {
  return std::isfinite(r.slowdowns.at(flow)) ? number_text(r.slowdowns[flow]) : "";
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
  std::string out = "flow,from,to,bytes,start_s,began_s,received_s,finished_s,slowdown\n";
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const workload::Flow& flow = r.flows[f];
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", f, flow.from, flow.to, flow.bytes, moment(flow.start),
                       moment(flow.began), moment(flow.received), moment(flow.finished), slowdown(r, f));
  }
  return out;
}

std::string trace_csv(const SimulationResult& r) {
  std::string out = "time_s,node,port,event,flow,sequence,kind,bytes\n";
  for (const packet::TraceEntry& entry : r.trace) {
    out += fmt::format("{},{},{},{},{},{},{},{}\n", moment(entry.time),
                       csv_field(r.trace_nodes.at(entry.node)), entry.port, name_of(entry.event), entry.flow,
                       entry.sequence, name_of(entry.kind), entry.bytes);
  }
  return out;
}

}  // namespace trainyard
