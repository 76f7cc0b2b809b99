#include "python/record_tables.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "trainyard/picoseconds.h"
#include "trainyard/report/chart.h"
#include "trainyard/simulation_result.h"
#include "trainyard/step.h"

namespace trainyard::python {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double moment(Picoseconds time) { return time == kNever ? kNothing : seconds(time).si(); }

Table flows_of(const SimulationResult& r) {
  using workload::Flow;
  return {"flows",
          {column_of("from", r.flows, [](const Flow& f) { return std::int64_t{f.from}; }),
           column_of("to", r.flows, [](const Flow& f) { return std::int64_t{f.to}; }),
           column_of("bytes", r.flows, [](const Flow& f) { return f.bytes; }),
           column_of("start_s", r.flows, [](const Flow& f) { return moment(f.start); }),
           column_of("began_s", r.flows, [](const Flow& f) { return moment(f.began); }),
           column_of("received_s", r.flows, [](const Flow& f) { return moment(f.received); }),
           column_of("finished_s", r.flows, [](const Flow& f) { return moment(f.finished); }),
           {"slowdown", r.slowdowns}}};
}

Table moments_of(const SimulationResult& r) {
  using Moment = SimulationMoment;
  return {"moments",
          {column_of("begin_s", r.moments, [](const Moment& m) { return m.begin.si(); }),
           column_of("longest_queue_bytes", r.moments, [](const Moment& m) { return m.longest_queue.si(); }),
           column_of("delivered_bytes", r.moments, [](const Moment& m) { return m.delivered.si(); })}};
}

/// Samples of all probes of one kind, with the probe that each is of.
template <class Sample>
struct Samples {
  std::vector<Sample> rows;
  std::vector<std::int64_t> probes;
};

template <class Sample>
Samples<Sample> samples_of(const SimulationResult& r, std::vector<Sample> packet::ProbeSeries::*kind) {
  Samples<Sample> out;
  for (std::size_t p = 0; p < r.series.size(); ++p) {
    const std::vector<Sample>& rows = r.series[p].*kind;
    out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    out.probes.insert(out.probes.end(), rows.size(), static_cast<std::int64_t>(p));
  }
  return out;
}

double busy_share(const packet::QueueSample& s) {
  return s.span > 0 ? static_cast<double>(s.busy) / static_cast<double>(s.span) : kNothing;
}

Table queue_samples_of(const SimulationResult& r) {
  using packet::QueueSample;
  auto [rows, probes] = samples_of(r, &packet::ProbeSeries::queue);
  return {"queue_samples",
          {{"probe", std::move(probes)},
           column_of("time_s", rows, [](const QueueSample& s) { return moment(s.time); }),
           column_of("queue_bytes", rows, [](const QueueSample& s) { return s.queue_bytes; }),
           column_of("control_bytes", rows, [](const QueueSample& s) { return s.control_bytes; }),
           column_of("longest_bytes", rows, [](const QueueSample& s) { return s.longest_bytes; }),
           column_of("sent_bytes", rows, [](const QueueSample& s) { return s.sent_bytes; }),
           column_of("utilization", rows, busy_share),
           column_of("marks", rows, [](const QueueSample& s) { return s.marks; }),
           column_of("trims", rows, [](const QueueSample& s) { return s.trims; }),
           column_of("drops", rows, [](const QueueSample& s) { return s.drops; }),
           column_of("lost", rows, [](const QueueSample& s) { return s.lost; })}};
}

double known(double number) { return number == packet::FlowSample::kNone ? kNothing : number; }

Table flow_samples_of(const SimulationResult& r) {
  using packet::FlowSample;
  auto [rows, probes] = samples_of(r, &packet::ProbeSeries::flow);
  return {"flow_samples",
          {{"probe", std::move(probes)},
           column_of("time_s", rows, [](const FlowSample& s) { return moment(s.time); }),
           column_of("received_bytes", rows, [](const FlowSample& s) { return s.received_bytes; }),
           column_of("window_packets", rows, [](const FlowSample& s) { return known(s.window_packets); }),
           column_of("rate_share", rows, [](const FlowSample& s) { return known(s.rate_share); })}};
}

/// A column of names, of records that hold their numbers.
template <class Record, class Number>
Column names_of(std::string column, const std::vector<Record>& records, std::vector<std::string> names,
                const Number& number) {
  Names out{std::move(names), {}};
  out.rows.reserve(records.size());
  for (const Record& record : records) out.rows.push_back(static_cast<std::uint32_t>(number(record)));
  return {std::move(column), std::move(out)};
}

Table trace_of(const SimulationResult& r) {
  using packet::TraceEntry;
  return {"trace",
          {column_of("time_s", r.trace, [](const TraceEntry& e) { return moment(e.time); }),
           names_of("node", r.trace, r.trace_nodes, [](const TraceEntry& e) { return e.node; }),
           column_of("port", r.trace, [](const TraceEntry& e) { return std::int64_t{e.port}; }),
           names_of("event", r.trace, {"sent", "queued", "left", "received", "cut", "dropped", "lost"},
                    [](const TraceEntry& e) { return e.event; }),
           column_of("flow", r.trace, [](const TraceEntry& e) { return std::int64_t{e.flow}; }),
           column_of("sequence", r.trace, [](const TraceEntry& e) { return std::int64_t{e.sequence}; }),
           names_of("kind", r.trace, {"data", "header", "ack", "nack", "pull", "pause"},
                    [](const TraceEntry& e) { return e.kind; }),
           column_of("bytes", r.trace, [](const TraceEntry& e) { return std::int64_t{e.bytes}; })}};
}

Table operations_of(const StepSimulation& step) {
  std::vector<TimedOperation> all;
  all.reserve(static_cast<std::size_t>(step.timeline.operations));
  visit_operations(step, [&](const TimedOperation& operation) { all.push_back(operation); });
  std::vector<std::string> works;
  for (std::size_t w = 0; w < kStepWorks; ++w) works.emplace_back(step_work_name(static_cast<StepWork>(w)));
  std::vector<std::string> resources;
  for (std::size_t r = 0; r < kStepResources; ++r)
    resources.emplace_back(step_resource_name(static_cast<StepResource>(r)));
  using Timed = TimedOperation;
  return {"operations",
          {names_of("work", all, std::move(works), [](const Timed& o) { return o.work; }),
           names_of("resource", all, std::move(resources), [](const Timed& o) { return o.resource; }),
           column_of("stage", all, [](const Timed& o) { return o.stage; }),
           column_of("replica_class", all, [](const Timed& o) { return o.replica_class; }),
           column_of("microbatch", all, [](const Timed& o) { return o.microbatch; }),
           column_of("start_s", all, [](const Timed& o) { return o.start.si(); }),
           column_of("finish_s", all, [](const Timed& o) { return o.finish.si(); }),
           column_of("bytes", all, [](const Timed& o) { return o.bytes.si(); })}};
}

Table memory_of(const StepTimeline& timeline) {
  std::vector<std::int64_t> stages;
  std::vector<std::int64_t> classes;
  std::vector<MemoryPoint> points;
  for (const StageTimeline& stage : timeline.stages) {
    points.insert(points.end(), stage.memory.begin(), stage.memory.end());
    stages.resize(points.size(), stage.stage);
    classes.resize(points.size(), stage.replica_class);
  }
  return {"memory",
          {{"stage", std::move(stages)},
           {"replica_class", std::move(classes)},
           column_of("time_s", points, [](const MemoryPoint& p) { return p.time.si(); }),
           column_of("bytes", points, [](const MemoryPoint& p) { return p.bytes.si(); })}};
}

}  // namespace

std::vector<Table> tables_of(const SimulationResult& result) {
  std::vector<Table> out = {flows_of(result)};
  if (!result.moments.empty()) out.push_back(moments_of(result));
  if (!result.series.empty()) {
    out.push_back(queue_samples_of(result));
    out.push_back(flow_samples_of(result));
  }
  if (!result.trace.empty()) out.push_back(trace_of(result));
  return out;
}

std::vector<Table> tables_of(const StepSimulation& step) {
  return {operations_of(step), memory_of(step.timeline)};
}

Table table_of(const Chart& chart) {
  Table out{chart.name, {}};
  std::vector<std::string> labels;
  std::vector<std::pair<std::size_t, ChartPoint>> points;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) points.emplace_back(labels.size(), point);
    labels.push_back(line.label);
  }
  out.columns = {names_of("line", points, std::move(labels), [](const auto& p) { return p.first; }),
                 column_of("x", points, [](const auto& p) { return p.second.x; }),
                 column_of("y", points, [](const auto& p) { return p.second.y; })};
  return out;
}

}  // namespace trainyard::python
