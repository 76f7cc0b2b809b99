#include "search/space/rank_messages.h"

#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "ranks/packing.h"

namespace trainyard {
namespace {

constexpr std::uint64_t kKinds = 4;
constexpr std::uint64_t kAnswer = 3;  // the others are LostPoint::Why

/// An objective that there is none of is NaN.
void put_if_any(Packer& pack, const std::optional<double>& number) {
  pack.put(number.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::optional<double> read_if_any(Unpacker& read) {
  const double number = read.real();
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::optional<std::uint64_t> index_if_any(Unpacker& read) {
  const std::uint64_t number = read.whole();
  return number == 0 ? std::nullopt : std::optional(number - 1);
}

std::uint64_t index_and_one(const std::optional<std::uint64_t>& index) { return index ? *index + 1 : 0; }

void put(Packer& pack, const SearchPoint& point) {
  pack.put(point.index * kKinds + kAnswer).put(point.objectives).put(point.limited);
}

void put(Packer& pack, const LostPoint& lost) {
  pack.put(lost.index * kKinds + static_cast<std::uint64_t>(lost.why)).put(lost.limited);
}

Outcome read_outcome(Unpacker& read, const SearchQuestion& question) {
  const std::uint64_t word = read.whole();
  const std::uint64_t index = word / kKinds;
  if (word % kKinds == kAnswer) {
    std::vector<double> objectives = read.reals(question.objectives.size());
    return SearchPoint{index, {}, std::move(objectives), read.reals(question.limits.size())};
  }
  LostPoint lost{static_cast<LostPoint::Why>(word % kKinds), index, read.reals(question.limits.size())};
  return lost;
}

void put(Packer& pack, const CountedLosses& losses) {
  const SearchLosses& counts = losses.counts;
  pack.put(counts.refused).put(counts.infeasible).put(counts.beyond_limits);
  for (const std::uint64_t count : counts.beyond) pack.put(count);
  for (const std::optional<double>& closest : counts.closest) put_if_any(pack, closest);
  pack.put(index_and_one(losses.first_refused)).put(index_and_one(losses.first_infeasible));
}

void read_losses(Unpacker& read, CountedLosses& losses) {
  SearchLosses& counts = losses.counts;
  counts.refused = read.whole();
  counts.infeasible = read.whole();
  counts.beyond_limits = read.whole();
  for (std::uint64_t& count : counts.beyond) count = read.whole();
  for (std::optional<double>& closest : counts.closest) closest = read_if_any(read);
  losses.first_refused = index_if_any(read);
  losses.first_infeasible = index_if_any(read);
}

}  // namespace

std::string packed(const StretchInformation& information) {
  Packer pack;
  pack.put(std::uint64_t{information.keeps_all});
  put_if_any(pack, information.bests.last_ranked);
  for (const std::vector<ValueWorth>& values : information.bests.worth) {
    for (const ValueWorth& worth : values) put_if_any(pack, worth.objective);
  }
  constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words((information.known.size() + kBits - 1) / kBits);
  for (std::size_t i = 0; i < information.known.size(); ++i)
    words[i / kBits] |= std::uint64_t{information.known[i]} << (i % kBits);
  for (const std::uint64_t word : words) pack.put(word);
  return pack.take();
}

StretchInformation stretch_information(std::string_view bytes, const KnownBests& like, std::uint64_t points) {
  Unpacker read(bytes);
  StretchInformation out;
  out.keeps_all = read.whole() != 0;
  out.bests = like;
  out.bests.last_ranked = read_if_any(read);
  for (std::vector<ValueWorth>& values : out.bests.worth) {
    for (ValueWorth& worth : values) worth.objective = read_if_any(read);
  }
  if (read.empty()) return out;
  constexpr std::size_t kBits = 64;
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < points; ++i) {
    if (i % kBits == 0) word = read.whole();
    out.known.push_back(((word >> (i % kBits)) & 1U) != 0);
  }
  return out;
}

std::string packed(const StretchOutcome& outcome) {
  Packer pack;
  pack.put(outcome.evaluated).put(outcome.pruned);
  put(pack, outcome.losses);
  for (const Outcome& one : outcome.outcomes) std::visit([&](const auto& point) { put(pack, point); }, one);
  return pack.take();
}

StretchOutcome stretch_outcome(std::string_view bytes, const SearchQuestion& question) {
  Unpacker read(bytes);
  StretchOutcome out(question);
  out.evaluated = read.whole();
  out.pruned = read.whole();
  read_losses(read, out.losses);
  while (!read.empty()) out.outcomes.push_back(read_outcome(read, question));
  return out;
}

}  // namespace trainyard
