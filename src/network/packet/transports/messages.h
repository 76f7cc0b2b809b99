// Connections that carry several messages one after another, in one order of packets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "network/packet/packet.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

/// Which packets of a connection are which message's. A message is a flow; the first one of a connection
/// names it in packets, and its records are the connection's. Without connections of several messages there
/// is no table, and every flow is a connection.
class Messages {
 public:
  Messages(const std::vector<Flow>& flows, const std::vector<Connection>& connections,
           std::uint64_t payload_bytes)
      : flows_(flows) {
    if (connections.empty()) return;
    connection_of_.resize(flows.size());
    ends_.resize(flows.size());
    number_of_.assign(flows.size(), kNobody);
    const auto count = [&](std::uint32_t f) {
      return static_cast<std::uint32_t>((flows[f].bytes + payload_bytes - 1) / payload_bytes);
    };
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
      connection_of_[f] = f;
      ends_[f] = count(f);
    }
    for (const Connection& messages : connections) {
      std::uint32_t end = 0;
      for (const std::uint32_t f : messages) {
        connection_of_[f] = messages.front();
        end += count(f);
        ends_[f] = end;
      }
      number_of_[messages.front()] = static_cast<std::uint32_t>(messages_.size());
      messages_.push_back(messages);
    }
    not_received_.resize(flows.size());
    for (std::uint32_t f = 0; f < flows.size(); ++f) not_received_[f] = ends_[f] - begin(f);
    not_acknowledged_ = not_received_;
  }

  bool any() const { return !connection_of_.empty(); }
  /// The flow that names a flow's connection.
  std::uint32_t connection(std::uint32_t flow) const { return any() ? connection_of_[flow] : flow; }
  /// Whether a flow comes behind others of its connection.
  bool follows(std::uint32_t flow) const { return any() && connection_of_[flow] != flow; }

  // These need `any()`.

  /// Of all messages of a connection; 0 where a flow names none.
  std::uint32_t packets(std::uint32_t flow) const {
    if (follows(flow)) return 0;
    return number_of_[flow] == kNobody ? ends_[flow] : ends_[messages_[number_of_[flow]].back()];
  }
  /// Of those messages that have begun and whose predecessors all have.
  std::uint32_t begun(std::uint32_t flow) const {
    if (follows(flow)) return 0;
    std::uint32_t out = 0;
    visit(flow, [&](std::uint32_t message) {
      if (flows_[message].began == kNever) return false;
      out = ends_[message];
      return true;
    });
    return out;
  }
  /// The flow that a packet belongs to.
  std::uint32_t message_of(std::uint32_t connection, std::uint32_t sequence) const {
    if (number_of_[connection] == kNobody) return connection;
    const Connection& messages = messages_[number_of_[connection]];
    return *std::upper_bound(messages.begin(), messages.end(), sequence,
                             [&](std::uint32_t s, std::uint32_t flow) { return s < ends_[flow]; });
  }
  /// A flow's first packet, and the one behind its last.
  std::uint32_t begin(std::uint32_t flow) const {
    const Connection* messages = of(flow);
    if (messages == nullptr || flow == messages->front()) return 0;
    return ends_[*(std::lower_bound(messages->begin(), messages->end(), flow) - 1)];
  }
  std::uint32_t end(std::uint32_t flow) const { return ends_[flow]; }
  std::uint64_t bytes(std::uint32_t connection) const {
    std::uint64_t sum = 0;
    visit(connection, [&](std::uint32_t message) {
      sum += flows_[message].bytes;
      return true;
    });
    return sum;
  }

  /// A packet is new to its receiver, or to its sender; whether it is its message's last.
  bool received(std::uint32_t message) { return --not_received_[message] == 0; }
  bool acknowledged(std::uint32_t message) { return --not_acknowledged_[message] == 0; }

  template <class Archive>
  void serialize(Archive& a) {
    if (any()) serialize_tables(a, not_received_, not_acknowledged_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h): what is missing of each message,
  /// `lacks(connection, sequence)`, at its receiver and at its sender.
  template <class NotReceived, class NotAcknowledged>
  void check_restored(const NotReceived& not_received, const NotAcknowledged& not_acknowledged) const {
    for (std::uint32_t f = 0; any() && f < flows_.size(); ++f) {
      std::uint32_t missing = 0;
      std::uint32_t open = 0;
      for (std::uint32_t s = begin(f); s < ends_[f]; ++s) {
        missing += not_received(connection_of_[f], s) ? 1 : 0;
        open += not_acknowledged(connection_of_[f], s) ? 1 : 0;
      }
      keep_bounds(not_received_[f] == missing && not_acknowledged_[f] == open);
    }
  }

 private:
  const Connection* of(std::uint32_t flow) const {
    const std::uint32_t number = number_of_[connection_of_[flow]];
    return number == kNobody ? nullptr : &messages_[number];
  }
  /// The messages of a connection in order, until `each(message)` is false.
  template <class Each>
  void visit(std::uint32_t connection, const Each& each) const {
    if (number_of_[connection] == kNobody) {
      each(connection);
      return;
    }
    for (const std::uint32_t message : messages_[number_of_[connection]]) {
      if (!each(message)) return;
    }
  }

  const std::vector<Flow>& flows_;
  std::vector<Connection> messages_;          // each in ascending order
  std::vector<std::uint32_t> number_of_;      // by flow: of the connection that it names
  std::vector<std::uint32_t> connection_of_;  // by flow
  std::vector<std::uint32_t> ends_;           // by flow: the packet behind its last
  std::vector<std::uint32_t> not_received_;
  std::vector<std::uint32_t> not_acknowledged_;
};

}  // namespace trainyard::packet
