// The packets of all-reduces that switches sum, as every host of a group sends and gets them: one stream in
// each plane, through all of the group's all-reduces in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "network/packet/packet.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

/// A member is a host of a group; the packets of a flow go to the planes in turn.
class SumStreams {
 public:
  /// How far a member is in a plane.
  struct Stream {
    std::uint64_t sent = 0;     // packets
    std::uint64_t got = 0;      // results
    std::uint32_t sending = 0;  // which of the group's all-reduces
    bool listed = false;        // in the turns

    template <class Archive>
    void serialize(Archive& a) {
      a(sent, got, sending, listed);
    }
  };
  struct Next {
    std::uint32_t flow;
    std::uint32_t sequence;
  };

  explicit SumStreams(const TransportSetup& setup);

  std::uint32_t planes() const { return planes_; }
  /// The hosts of each group, by rank.
  const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }
  /// Packets of the longest stream.
  std::uint64_t longest() const;

  /// Whether a flow is part of an all-reduce.
  bool is_summed(std::uint32_t flow) const { return job_of_[flow] != kNobody; }
  std::uint32_t group(std::uint32_t flow) const { return jobs_[job_of_[flow]].group; }
  /// The flow by which all of its all-reduce are known.
  std::uint32_t first_flow(std::uint32_t flow) const { return jobs_[job_of_[flow]].first; }
  /// That tells the host of this rank that it has the result.
  std::uint32_t flow_to(std::uint32_t flow, std::uint32_t rank) const {
    const Job& job = jobs_[job_of_[flow]];
    return job.first + (rank == 0 ? job.ranks - 1 : rank - 1);
  }
  /// The place of a packet in its stream.
  std::uint64_t position(std::uint32_t flow, std::uint32_t plane, std::uint32_t sequence) const {
    return begin(job_of_[flow], plane) + sequence / planes_;
  }

  std::uint32_t sender(std::uint32_t flow) const {
    const Job& job = jobs_[job_of_[flow]];
    return first_member_[job.group] + (flow - job.first);
  }
  std::uint32_t receiver(std::uint32_t flow) const {
    const Job& job = jobs_[job_of_[flow]];
    const std::uint32_t rank = flow - job.first + 1;
    return first_member_[job.group] + (rank == job.ranks ? 0 : rank);
  }
  Stream& at(std::uint32_t member, std::uint32_t plane) {
    return streams_[std::size_t{member} * planes_ + plane];
  }

  /// Whether a member's next packet lies in the window, and its all-reduce has begun there.
  bool may_send(std::uint32_t member, std::uint32_t plane, std::uint64_t window) const;
  /// That packet, which is sent now.
  Next take(std::uint32_t member, std::uint32_t plane);
  /// A result reaches a member; false for one that is not the next, as no run has it.
  bool got(std::uint32_t member, std::uint32_t plane, std::uint32_t flow, std::uint32_t sequence);
  /// Whether a member has all results of the first all-reduce that it has not completed.
  bool completes(std::uint32_t member) const;
  /// The flows to it and from it of that one, which it has completed now.
  std::pair<std::uint32_t, std::uint32_t> complete(std::uint32_t member);

  /// Payload of the results that a flow's receiver has.
  std::uint64_t received_bytes(std::uint32_t flow, std::uint64_t payload_bytes) const;

  std::size_t bytes() const {
    return streams_.capacity() * sizeof(Stream) + begins_.capacity() * sizeof(std::uint64_t);
  }
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, streams_, completed_);
  }
  void check_restored() const;
  /// Whether a member is a host.
  bool is_at(std::uint32_t member, std::uint32_t host) const {
    return member < host_of_.size() && host_of_[member] == host;
  }

 private:
  /// An all-reduce.
  struct Job {
    std::uint32_t first;  // of its flows
    std::uint32_t ranks;
    std::uint32_t group;
    std::uint32_t packets;
  };

  std::uint64_t begin(std::uint32_t job, std::uint32_t plane) const {
    return begins_[std::size_t{job} * planes_ + plane];
  }
  /// Of a job's packets, those of a plane.
  std::uint64_t count(std::uint32_t job, std::uint32_t plane) const {
    return (std::uint64_t{jobs_[job].packets} + planes_ - 1 - plane) / planes_;
  }
  std::uint64_t end(std::uint32_t job, std::uint32_t plane) const {
    return begin(job, plane) + count(job, plane);
  }
  const std::vector<std::uint32_t>& jobs_of(std::uint32_t member) const {
    return jobs_of_group_[group_of_[member]];
  }
  std::uint32_t rank_of(std::uint32_t member) const { return member - first_member_[group_of_[member]]; }
  /// Past all-reduces without packets in the plane.
  void skip(std::uint32_t member, std::uint32_t plane);

  const std::vector<Flow>& flows_;
  std::uint32_t planes_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<std::vector<std::uint32_t>> jobs_of_group_;  // in the order of flows
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> job_of_;        // of each flow
  std::vector<std::uint64_t> begins_;        // of each job and plane, in the group's stream
  std::vector<std::uint32_t> first_member_;  // of each group
  std::vector<std::uint32_t> group_of_;      // of each member
  std::vector<std::uint32_t> host_of_;       // of each member
  std::vector<Stream> streams_;              // of each member and plane
  std::vector<std::uint32_t> completed_;     // all-reduces of each member
};

}  // namespace trainyard::packet
