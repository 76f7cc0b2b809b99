// Different choices of values, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// For each free setting, which value. Narrow, since samples keep millions.
using NarrowChoice = std::span<const std::uint32_t>;

/// Choices in the order in which they came: what tells points of a sample from each other, whose numbers in
/// the space may be beyond every integer.
class ChoiceSet {
 public:
  explicit ChoiceSet(std::size_t settings) : settings_(settings), slots_(kFewest) {}

  /// False: it is there already. `place` is where.
  bool add(NarrowChoice choice, std::size_t& place);
  /// Its place, or size().
  std::size_t find(NarrowChoice choice) const { return place_in(slot_of(choice)); }

  std::size_t size() const { return settings_ == 0 ? 0 : values_.size() / settings_; }
  NarrowChoice operator[](std::size_t place) const {
    return NarrowChoice(values_).subspan(place * settings_, settings_);
  }

 private:
  static constexpr std::size_t kFewest = 1024;  // a power of two, as all sizes

  std::size_t slot_of(NarrowChoice choice) const;
  std::size_t place_in(std::size_t slot) const { return slots_[slot] == 0 ? size() : slots_[slot] - 1; }
  void grow();

  std::size_t settings_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> slots_;  // open addressing: one more than a place; 0: none
};

}  // namespace trainyard
