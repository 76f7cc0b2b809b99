#include "search/space/choice_set.h"

#include <algorithm>

#include "base/mixing.h"

namespace trainyard {

/// Where a choice is, or would be.
std::size_t ChoiceSet::slot_of(NarrowChoice choice) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t value : choice) hash = mixed(hash, value);
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0 && !std::ranges::equal((*this)[slots_[slot] - 1], choice))
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

bool ChoiceSet::add(NarrowChoice choice, std::size_t& place) {
  const std::size_t slot = slot_of(choice);
  place = place_in(slot);
  if (slots_[slot] != 0) return false;
  values_.insert(values_.end(), choice.begin(), choice.end());
  slots_[slot] = static_cast<std::uint32_t>(place + 1);
  if (2 * size() > slots_.size()) grow();
  return true;
}

void ChoiceSet::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::size_t place = 0; place < size(); ++place)
    slots_[slot_of((*this)[place])] = static_cast<std::uint32_t>(place + 1);
}

}  // namespace trainyard
