// What a restored state has to keep to, so that no file, however it was made, leads out of bounds.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace trainyard {

/// Picoseconds that no run reaches: sums with timeouts do not pass the end of their type.
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 62U;
/// Picoseconds for which no packet is under way, 9 minutes: doubled as often as timeouts are, it stays below
/// kFarthest.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 49U;
/// Whether that may be a time, or kNever.
constexpr bool is_time(std::uint64_t time) { return time < kFarthest || time == ~std::uint64_t{0}; }
/// Whether that may have happened to a packet, or to its sender, before `now`.
constexpr bool is_past(std::uint64_t time, std::uint64_t now) { return time <= now && now - time < kLongest; }

/// Whole picoseconds of a duration that was calculated. Rates of a restored state are any numbers: what no
/// run reaches, infinity and no number at all are the longest that nothing is under way for, what is below 0
/// is 0.
inline std::uint64_t whole_duration(double picoseconds) {
  if (!(picoseconds < static_cast<double>(kLongest))) return kLongest;
  return picoseconds > 0 ? static_cast<std::uint64_t>(picoseconds) : 0;
}

/// Throws std::out_of_range, which restoring reports as a checkpoint without a state.
// Cold, so that checks are compiled small, too: every transport holds all of them.
[[gnu::cold, gnu::noinline]] inline void keep_bounds(bool holds) {
  if (!holds) throw std::out_of_range("a restored state is out of bounds");
}

/// The same for each element of a table.
template <class Table, class Holds>
void keep_all(const Table& table, const Holds& holds) {
  for (const auto& element : table) keep_bounds(holds(element));
}

/// Loads or saves tables whose lengths are set before.
template <class Archive, class... Tables>
void serialize_tables(Archive& a, Tables&... tables) {
  (a.table(tables), ...);
}

}  // namespace trainyard
