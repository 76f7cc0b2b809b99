#include "report/data/stored_columns.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// The unit in which the name of a key ends.
Unit unit_of_key(std::string_view key) {
  using enum Unit;
  Unit out = number;
  for (const Unit unit : {bytes, bytes_per_second, bits_per_second, seconds, flop, flop_per_second, joules,
                          watts, usd, usd_per_joule, metres}) {
    const std::string_view end = unit_suffix(unit);
    if (!end.empty() && key.ends_with(end) && end.size() > unit_suffix(out).size()) out = unit;
  }
  return out;
}

}  // namespace

StoredColumns columns_of(const StoredAsked& asked) {
  StoredColumns out;
  for (const StoredSetting& setting : asked.free) out.settings.push_back(setting.key);
  for (const std::string& name : asked.objectives) out.objectives.push_back({name, name, unit_of_key(name)});
  for (std::size_t i = 0; i < asked.limits.size(); ++i) {
    const bool known = i < asked.limited.size();  // not in older stores
    out.limits.push_back({known ? asked.limited[i] : asked.limits[i], asked.limits[i],
                          known ? unit_of_key(asked.limited[i]) : Unit::number});
  }
  return out;
}

ReadPoint read_point(const StoredPoint& point, const StoredAsked& asked) {
  ReadPoint out{point, {}};
  std::uint64_t rest = point.index;
  for (std::size_t s = asked.free.size(); s-- > 0;) {
    const StoredSetting& setting = asked.free[s];
    out.settings[setting.key] = setting_json(setting.values[rest % setting.values.size()]);
    rest /= setting.values.size();
  }
  return out;
}

}  // namespace trainyard
