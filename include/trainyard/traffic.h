// Which device talks to which, and how much: the traffic matrix of a mapping, stored by its structure.
//
// A device's number is read as digits, slowest first: datacenter, HB domain, pipeline stage, replica in the
// domain, rank. A class of traffic joins devices that differ in some digits only; with every member of such a
// group, with the next one around a ring, or with the neighbours of a pipeline. So a million devices take no
// more memory than ten.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

enum class TrafficPattern {
  all,     // every ordered pair of a group
  ring,    // each member to the next, the last to the first
  line,    // each member to the next and back
  ends,    // the first and the last member, both ways
  incast,  // every member to the first
};

/// What traffic is for.
enum class TrafficKind { tensor, context, pipeline, expert, gradient, weights, other };

/// One digit of a device's number: (number / stride) % size.
struct Digit {
  std::int64_t stride = 1;
  std::int64_t size = 1;

  bool operator==(const Digit&) const = default;
};

struct TrafficClass {
  std::string name;
  TrafficPattern pattern = TrafficPattern::all;
  std::vector<Digit> digits;  // that vary in a group, slowest first
  Bytes pair;                 // of an ordered pair, for one batch
  TrafficKind kind = TrafficKind::other;
};

/// Bytes from one device to another.
struct TrafficFlow {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Bytes bytes;
};

/// The matrix: classes by structure, and single flows.
struct TrafficMatrix {
  std::int64_t devices = 0;
  std::int64_t domain_devices = 1;  // of one HB domain; devices are numbered domain by domain
  std::vector<TrafficClass> classes;
  std::vector<TrafficFlow> flows;

  /// Bytes from one device to another in one batch.
  Bytes between(std::int64_t from, std::int64_t to) const;
};

/// A class in numbers.
struct TrafficShare {
  std::string name;
  bool in_domain = false;  // all of it
  double pairs = 0;        // ordered
  Bytes pair;
  Bytes volume;
  double pair_share = 0;
  double volume_share = 0;
};

struct TrafficSummary {
  double devices = 0;
  double pairs = 0;  // ordered pairs of different devices
  std::vector<TrafficShare> classes;
  Bytes volume;
  double silent_pair_share = 0;    // pairs without traffic
  double domain_pair_share = 0;    // pairs with traffic inside HB domains
  double domain_volume_share = 0;  // of all bytes
};

/// Of classes: single flows have no structure to summarize.
TrafficSummary summarize(const TrafficMatrix& matrix);

/// The classes of one kind.
TrafficMatrix only_kind(const TrafficMatrix& matrix, TrafficKind kind);

/// Members of a group of the class.
std::int64_t group_size(const TrafficClass& c);

/// Calls for every group of a class with its members in order, first those of the lowest numbers.
void visit_groups(const TrafficMatrix& matrix, const TrafficClass& c,
                  const std::function<void(const std::vector<std::int64_t>&)>& visit);

/// Ordered pairs of indices in a group that talk, for patterns other than `all`.
void visit_pairs(TrafficPattern pattern, std::int64_t size,
                 const std::function<void(std::int64_t, std::int64_t)>& visit);

/// Bytes between devices [first, first + count), row by row. Throws InputError for an empty or too large
/// range.
std::vector<double> traffic_block(const TrafficMatrix& matrix, std::int64_t first, std::int64_t count);

}  // namespace trainyard
