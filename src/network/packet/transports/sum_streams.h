// The packets of collectives that switches do, as every host of a group sends and gets them: one stream in
// each plane, through all of the group's collectives of a kind in their order. For each packet that goes up a
// host gets one: where it is of another's shard, a note in place of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "network/packet/packet.h"
#include "workload/shards.h"

namespace trainyard::packet {

struct TransportSetup;

/// A member is a host of a group; the packets of a flow go to the planes in turn.
class SumStreams {
 public:
  /// How far a member is in a plane.
  struct Stream {
    std::uint64_t sent = 0;     // packets
    std::uint64_t got = 0;      // results
    std::uint32_t sending = 0;  // which of the group's collectives
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
  /// The hosts of each group, by rank; hosts that do several kinds are as many groups.
  const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }
  /// What a group does.
  Reduction::Kind kind_of(std::uint32_t group) const { return kinds_[group]; }
  /// What packets carry, but for the last of a buffer; where shards have packets of their own, on average.
  std::uint64_t usual_payload() const;
  /// Packets of the longest stream.
  std::uint64_t longest() const;

  /// Whether a flow is part of a collective.
  bool is_summed(std::uint32_t flow) const { return job_of_[flow] != kNobody; }
  std::uint32_t group(std::uint32_t flow) const { return jobs_[job_of_[flow]].group; }
  Reduction::Kind kind(std::uint32_t flow) const { return kinds_[group(flow)]; }
  /// Packets of its collective, in all planes.
  std::uint64_t packets(std::uint32_t flow) const { return jobs_[job_of_[flow]].shards.count(); }
  /// The rank whose shard a packet holds; 0 of an all-reduce.
  std::uint32_t owner(std::uint32_t flow, std::uint32_t sequence) const {
    return jobs_[job_of_[flow]].shards.shard(sequence);
  }
  std::uint64_t payload(std::uint32_t flow, std::uint32_t sequence) const {
    return jobs_[job_of_[flow]].shards.payload(sequence);
  }
  /// Whether a sender puts a packet's data in, and no note that it is ready for that of another.
  bool gives(std::uint32_t flow, std::uint32_t sequence) const {
    const Job& job = jobs_[job_of_[flow]];
    return kind(flow) != Reduction::Kind::all_gather || owner(flow, sequence) == flow - job.first;
  }
  /// The flow by which all of its collective are known.
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

  /// Whether a member's next packet lies in the window, and its collective has begun there.
  bool may_send(std::uint32_t member, std::uint32_t plane, std::uint64_t window) const;
  /// That packet, which is sent now.
  Next take(std::uint32_t member, std::uint32_t plane);
  /// A result reaches a member; false for one that is not the next, as no run has it.
  bool got(std::uint32_t member, std::uint32_t plane, std::uint32_t flow, std::uint32_t sequence);
  /// Whether a member has all results, and notes, of the first collective that it has not completed.
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
  /// A collective.
  struct Job {
    std::uint32_t first;  // of its flows
    std::uint32_t ranks;
    std::uint32_t group;
    workload::Shards shards;  // of an all-reduce one
  };

  std::uint64_t begin(std::uint32_t job, std::uint32_t plane) const {
    return begins_[std::size_t{job} * planes_ + plane];
  }
  /// Of a job's packets, those of a plane.
  std::uint64_t count(std::uint32_t job, std::uint32_t plane) const {
    return (jobs_[job].shards.count() + planes_ - 1 - plane) / planes_;
  }
  std::uint64_t end(std::uint32_t job, std::uint32_t plane) const {
    return begin(job, plane) + count(job, plane);
  }
  const std::vector<std::uint32_t>& jobs_of(std::uint32_t member) const {
    return jobs_of_group_[group_of_[member]];
  }
  std::uint32_t rank_of(std::uint32_t member) const { return member - first_member_[group_of_[member]]; }
  /// Past collectives without packets in the plane.
  void skip(std::uint32_t member, std::uint32_t plane);

  const std::vector<Flow>& flows_;
  std::uint64_t payload_;  // of a full packet
  std::uint32_t planes_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<Reduction::Kind> kinds_;                     // of each group
  std::vector<std::vector<std::uint32_t>> jobs_of_group_;  // in the order of flows
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> job_of_;        // of each flow
  std::vector<std::uint64_t> begins_;        // of each job and plane, in the group's stream
  std::vector<std::uint32_t> first_member_;  // of each group
  std::vector<std::uint32_t> group_of_;      // of each member
  std::vector<std::uint32_t> host_of_;       // of each member
  std::vector<Stream> streams_;              // of each member and plane
  std::vector<std::uint32_t> completed_;     // collectives of each member
};

}  // namespace trainyard::packet
