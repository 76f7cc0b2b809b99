#include "network/packet/transports/sum_streams.h"

#include <algorithm>
#include <map>

#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

SumStreams::SumStreams(const TransportSetup& setup)
    : flows_(setup.flows),
      payload_(setup.sizes.payload_bytes),
      planes_(setup.layout.planes),
      job_of_(setup.flows.size(), kNobody) {
  std::map<std::pair<std::vector<std::uint32_t>, Reduction::Kind>, std::uint32_t> known;
  std::vector<std::uint64_t> ends;  // of each group and plane
  for (const Reduction& reduction : setup.reductions) {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank)
      hosts.push_back(flows_[reduction.first + rank].from);
    const auto [found, is_new] =
        known.emplace(std::pair(hosts, reduction.kind), static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
      groups_.push_back(std::move(hosts));
      kinds_.push_back(reduction.kind);
      jobs_of_group_.emplace_back();
      ends.resize(ends.size() + planes_, 0);
    }
    const std::uint32_t group = found->second;
    const auto job = static_cast<std::uint32_t>(jobs_.size());
    const std::uint32_t shards = reduction.kind == Reduction::Kind::all_reduce ? 1 : reduction.ranks;
    jobs_.push_back({reduction.first, reduction.ranks, group,
                     workload::Shards(flows_[reduction.first].bytes, shards, payload_)});
    jobs_of_group_[group].push_back(job);
    std::fill_n(job_of_.begin() + reduction.first, reduction.ranks, job);
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      std::uint64_t& end = ends[std::size_t{group} * planes_ + plane];
      begins_.push_back(end);
      end += count(job, plane);
    }
  }
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    first_member_.push_back(static_cast<std::uint32_t>(host_of_.size()));
    host_of_.insert(host_of_.end(), groups_[group].begin(), groups_[group].end());
    group_of_.resize(host_of_.size(), group);
  }
  completed_.resize(host_of_.size(), 0);
  streams_.resize(host_of_.size() * planes_);
  for (std::uint32_t member = 0; member < host_of_.size(); ++member) {
    for (std::uint32_t plane = 0; plane < planes_; ++plane) skip(member, plane);
  }
}

std::uint64_t SumStreams::usual_payload() const {
  std::uint64_t least = payload_;
  for (const Job& job : jobs_) {
    if (kinds_[job.group] != Reduction::Kind::all_reduce)
      least = std::min(least, flows_[job.first].bytes / std::max<std::uint64_t>(1, job.shards.count()));
  }
  return least;
}

std::uint64_t SumStreams::longest() const {
  std::uint64_t most = 0;
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) most = std::max(most, end(job, 0));
  return most;
}

void SumStreams::skip(std::uint32_t member, std::uint32_t plane) {
  Stream& stream = at(member, plane);
  const std::vector<std::uint32_t>& jobs = jobs_of(member);
  while (stream.sending < jobs.size() && stream.sent == end(jobs[stream.sending], plane)) ++stream.sending;
}

bool SumStreams::may_send(std::uint32_t member, std::uint32_t plane, std::uint64_t window) const {
  const Stream& stream = streams_[std::size_t{member} * planes_ + plane];
  const std::vector<std::uint32_t>& jobs = jobs_of(member);
  if (stream.sending == jobs.size() || stream.sent - stream.got >= window) return false;
  return flows_[jobs_[jobs[stream.sending]].first + rank_of(member)].began != kNever;
}

SumStreams::Next SumStreams::take(std::uint32_t member, std::uint32_t plane) {
  Stream& stream = at(member, plane);
  const std::uint32_t job = jobs_of(member)[stream.sending];
  const std::uint64_t index = stream.sent++ - begin(job, plane);
  skip(member, plane);
  return {jobs_[job].first + rank_of(member), static_cast<std::uint32_t>(index * planes_ + plane)};
}

bool SumStreams::got(std::uint32_t member, std::uint32_t plane, std::uint32_t flow, std::uint32_t sequence) {
  Stream& stream = at(member, plane);
  if (position(flow, plane, sequence) != stream.got || stream.got == stream.sent) return false;
  ++stream.got;
  return true;
}

bool SumStreams::completes(std::uint32_t member) const {
  const std::vector<std::uint32_t>& jobs = jobs_of(member);
  if (completed_[member] == jobs.size()) return false;
  const std::uint32_t job = jobs[completed_[member]];
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    if (streams_[std::size_t{member} * planes_ + plane].got < end(job, plane)) return false;
  }
  return true;
}

std::pair<std::uint32_t, std::uint32_t> SumStreams::complete(std::uint32_t member) {
  const std::uint32_t flow = jobs_[jobs_of(member)[completed_[member]++]].first;
  return {flow_to(flow, rank_of(member)), flow + rank_of(member)};
}

std::uint64_t SumStreams::received_bytes(std::uint32_t flow, std::uint64_t payload_bytes) const {
  if (!is_summed(flow)) return 0;
  const std::uint32_t job = job_of_[flow];
  std::uint64_t packets = 0;
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    const std::uint64_t got = streams_[std::size_t{receiver(flow)} * planes_ + plane].got;
    packets += std::clamp(got, begin(job, plane), end(job, plane)) - begin(job, plane);
  }
  return std::min(flows_[flow].bytes, packets * payload_bytes);
}

void SumStreams::check_restored() const {
  for (std::uint32_t member = 0; member < host_of_.size(); ++member) {
    const std::vector<std::uint32_t>& jobs = jobs_of(member);
    keep_bounds(completed_[member] <= jobs.size());
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      const Stream& stream = streams_[std::size_t{member} * planes_ + plane];
      keep_bounds(stream.got <= stream.sent && stream.sending <= jobs.size());
      if (stream.sending == jobs.size()) {
        keep_bounds(stream.sent == end(jobs.back(), plane));
      } else {
        const std::uint32_t job = jobs[stream.sending];
        keep_bounds(stream.sent >= begin(job, plane) && stream.sent < end(job, plane));
      }
    }
  }
}

}  // namespace trainyard::packet
