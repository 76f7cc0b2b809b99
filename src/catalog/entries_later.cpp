// Entries that are read when they are first asked for, compiled once for each kind.
#include "trainyard/catalog_entries.h"
#include "trainyard/catalog_records.h"

namespace trainyard {

template <class R>
Entries<R>::Later::Later(std::function<std::vector<std::string>()> keys,
                         std::function<R(const std::string&)> read)
    : list_(std::move(keys)), read_(std::move(read)) {}

template <class R>
Entries<R>::Later::~Later() = default;

template <class R>
std::vector<std::string> Entries<R>::Later::keys() {
  std::vector<std::string> out;
  for (const auto& [key, unused] : slots()) out.push_back(key);
  return out;
}

template <class R>
bool Entries<R>::Later::contains(const std::string& key) {
  return slots().contains(key);
}

template <class R>
const R* Entries<R>::Later::find(const std::string& key) {
  const auto found = slots().find(key);
  return found == slots().end() ? nullptr : &read(found->first, found->second);
}

template <class R>
const typename Entries<R>::Map& Entries<R>::Later::all() {
  std::call_once(all_once_, [this] {
    for (auto& [key, slot] : slots()) all_.emplace_hint(all_.end(), key, read(key, slot));
  });
  return all_;
}

template <class R>
typename Entries<R>::Later::Slots& Entries<R>::Later::slots() {
  std::call_once(slots_once_, [this] {
    for (const std::string& key : list_()) slots_[key];
  });
  return slots_;
}

template <class R>
const R& Entries<R>::Later::read(const std::string& key, Slot& slot) {
  std::call_once(slot.once, [&] { slot.entry = read_(key); });
  return *slot.entry;
}

template class Entries<Accelerator>::Later;
template class Entries<Assumption>::Later;
template class Entries<Calibration>::Later;
template class Entries<CircuitSwitch>::Later;
template class Entries<FailureSet>::Later;
template class Entries<HbDomain>::Later;
template class Entries<LinkProduct>::Later;
template class Entries<ModelShape>::Later;
template class Entries<Nic>::Later;
template class Entries<OperatorConstants>::Later;
template class Entries<OperatorSystem>::Later;
template class Entries<PriceModel>::Later;
template class Entries<Software>::Later;
template class Entries<Switch>::Later;

}  // namespace trainyard
