#include <optional>
#include <string>
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
  const bool loses = !r.lost_bytes.empty();
  CsvTable table(std::string("flow,from,to,bytes,start_s,began_s,received_s,finished_s,slowdown") +
                 (loses ? ",lost_bytes" : ""));
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    const workload::Flow& flow = r.flows[f];
    table.add(f).add(flow.from).add(flow.to).add(flow.bytes).add(moment(flow.start)).add(moment(flow.began));
    table.add(moment(flow.received)).add(moment(flow.finished)).add(if_any(r.slowdowns.at(f)));
    if (loses) table.add(r.lost_bytes.at(f));
    table.end_row();
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

/// Nothing where a transport has no such number.
static std::optional<double> known(double number) {
  return number == packet::FlowSample::kNone ? std::nullopt : std::optional<double>(number);
}

std::string series_csv(const SimulationResult& r) {
  CsvTable table(
      "probe,time_s,queue_bytes,control_bytes,longest_bytes,sent_bytes,utilization,marks,trims,drops,lost,"
      "received_bytes,window_packets,rate_share");
  for (const packet::ProbeSeries& series : r.series) {
    for (const packet::QueueSample& s : series.queue) {
      std::optional<double> use;
      if (s.span > 0) use = static_cast<double>(s.busy) / static_cast<double>(s.span);
      table.row(series.probe.name, moment(s.time), s.queue_bytes, s.control_bytes, s.longest_bytes,
                s.sent_bytes, use, s.marks, s.trims, s.drops, s.lost, std::nullopt, std::nullopt,
                std::nullopt);
    }
    for (const packet::FlowSample& s : series.flow)
      table.row(series.probe.name, moment(s.time), std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, s.received_bytes,
                known(s.window_packets), known(s.rate_share));
  }
  return std::move(table).text();
}

}  // namespace trainyard
