#include "schedule/packet_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard::schedule {
namespace {

constexpr double kHost_bytes = 2e6;     // that a host of a job at full rate sends: many round trips
constexpr std::size_t kMostPeers = 63;  // of a host in an all-to-all, evenly apart

/// Bytes between hosts of one network, of the job in whose place they stand.
class Connections {
 public:
  Connections(const NetworkDesign& design, const CrossingJob& job) : design_(design), job_(job) {}

  /// Appends rows of a file of flows; how many.
  std::size_t add_to(std::string& csv) {
    for (std::int64_t rank = 0; rank < design_.domain; ++rank) {
      if (design_.place_of(rank).network != 0) continue;
      std::vector<std::int64_t> hosts;
      for (const Part& part : job_.placement)
        if (rank < part.devices)
          hosts.push_back(design_.place_of(part.domain * design_.domain + rank).endpoint);
      if (hosts.size() > 1) connect(hosts, csv);
    }
    return count_;
  }

 private:
  void connect(const std::vector<std::int64_t>& hosts, std::string& csv) {
    const std::size_t others = hosts.size() - 1;
    const std::size_t peers = job_.pattern == JobTraffic::ring ? 1 : std::min(others, kMostPeers);
    const double bytes = std::max(1.0, std::round(kHost_bytes * job_.rate / static_cast<double>(peers)));
    for (std::size_t i = 0; i < hosts.size(); ++i)
      for (std::size_t peer = 0; peer < peers; ++peer) {
        const std::size_t away = 1 + peer * others / peers;
        csv += fmt::format("{},{},{:.0f},0\n", hosts[i], hosts[(i + away) % hosts.size()], bytes);
        ++count_;
      }
  }

  const NetworkDesign& design_;
  const CrossingJob& job_;
  std::size_t count_ = 0;
};

/// Packets with which a flow alone fills its host's links, with room.
std::int64_t filling_window(Scenario question, BitRate host_rate) {
  constexpr double kRoom = 1.5;
  SimulationInput& input = question.simulation;
  input.traffic = "permutation";
  input.bytes = input.packet;
  const double packet_s = input.packet.si() * kBitsPerByte / host_rate.si();
  return static_cast<std::int64_t>(std::ceil(kRoom * least_completion(question).si() / packet_s));
}

/// The scenario's transport and queues, with the jobs' flows in place of its traffic, and a window that holds
/// no flow back by itself.
Scenario question_of(const Scenario& scenario, const Cluster& cluster) {
  Scenario out = scenario;
  out.designs = {cluster.design->input};
  SimulationInput& input = out.simulation;
  input.design = cluster.design->input.name;
  input.extent.reset();
  input.load.reset();
  input.flows.reset();
  input.duration.reset();
  input.sizes.reset();
  input.chunks.reset();
  input.group.reset();
  out.failures.clear();
  out.probes.clear();
  input.window = std::max(input.window, filling_window(out, cluster.design->host_rate));
  return out;
}

/// Seconds until the senders of each job knew that all had arrived, as SimulationResult::ideal counts.
std::vector<double> ends_of(const SimulationResult& result, const std::vector<std::size_t>& flows_of_job) {
  std::vector<double> out;
  std::size_t flow = 0;
  for (const std::size_t count : flows_of_job) {
    double end_s = 0;
    for (std::size_t i = 0; i < count; ++i, ++flow)
      end_s = std::max(end_s, static_cast<double>(result.flows.at(flow).finished) / kPicosecondsPerSecond);
    out.push_back(end_s);
  }
  return out;
}

/// What a host of a job at full rate needs for its bytes, from the largest flow's time on an idle network.
double expected_s(const Scenario& question, const SimulationResult& result, BitRate host_rate) {
  double largest_bytes = 0;
  for (const workload::Flow& flow : result.flows)
    largest_bytes = std::max(largest_bytes, static_cast<double>(flow.bytes));
  const SimulationInput& input = question.simulation;
  const double wire = 1 + input.header.si() / input.packet.si();
  return result.ideal.si() + (kHost_bytes - largest_bytes) * kBitsPerByte * wire / host_rate.si();
}

ScheduleCheck check(const Scenario& question, const Cluster& cluster, const Snapshot& snapshot) {
  std::string csv = "from,to,bytes,start_s\n";
  std::vector<std::size_t> flows_of_job;
  for (const CrossingJob& job : *snapshot.jobs)
    flows_of_job.push_back(Connections(*cluster.design, job).add_to(csv));
  SimulationRun run;
  run.files.flows = std::make_shared<const SourceText>(SourceText{"the jobs' traffic", std::move(csv)});
  const SimulationResult result = simulate(question, run);
  const double expected = expected_s(question, result, cluster.design->host_rate);
  const std::vector<double> ends_s = ends_of(result, flows_of_job);
  ScheduleCheck out;
  out.time = Seconds(snapshot.at_s);
  out.jobs = static_cast<std::int64_t>(ends_s.size());
  out.connections = static_cast<std::int64_t>(result.flows.size());
  out.rate_by_flows = out.rate_by_packets = 0;
  for (std::size_t i = 0; i < ends_s.size(); ++i) {
    const double by_flows = (*snapshot.jobs)[i].rate;
    const double by_packets = by_flows * expected / ends_s[i];
    out.rate_by_flows += by_flows / static_cast<double>(ends_s.size());
    out.rate_by_packets += by_packets / static_cast<double>(ends_s.size());
    if (std::abs(by_packets / by_flows - 1) > std::abs(out.worst_difference))
      out.worst_difference = by_packets / by_flows - 1;
  }
  return out;
}

bool same(const std::vector<CrossingJob>& a, const std::vector<CrossingJob>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CrossingJob& x, const CrossingJob& y) {
    return x.pattern == y.pattern && x.rate == y.rate &&
           std::equal(
               x.placement.begin(), x.placement.end(), y.placement.begin(), y.placement.end(),
               [](const Part& p, const Part& q) { return p.domain == q.domain && p.devices == q.devices; });
  });
}

}  // namespace

std::vector<ScheduleCheck> check_by_packets(const Scenario& scenario, const Cluster& cluster,
                                            const std::vector<Snapshot>& snapshots,
                                            const ReplayProgress& progress) {
  if (snapshots.empty()) return {};
  const Scenario question = question_of(scenario, cluster);
  std::vector<ScheduleCheck> out;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    if (progress) progress(i, snapshots.size());
    if (i > 0 && same(*snapshots[i].jobs, *snapshots[i - 1].jobs)) {
      out.push_back(out.back());
      out.back().time = Seconds(snapshots[i].at_s);
    } else {
      out.push_back(check(question, cluster, snapshots[i]));
    }
  }
  return out;
}

}  // namespace trainyard::schedule
