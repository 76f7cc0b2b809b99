// The bathtub: how failures of parts change with their age.
#include <cmath>

#include "goodput/goodput_parts.h"

namespace trainyard {
namespace {

/// Mean of (age / wear)^3 between two times since the run began.
double mean_wear(const GoodputCase& c, double from_s, double to_s) {
  if (!c.wear_time) return 0;
  const double from = (c.age.si() + from_s) / c.wear_time->si();
  const double to = (c.age.si() + to_s) / c.wear_time->si();
  return (from + to) * (from * from + to * to) / 4;
}

}  // namespace

double worn_hazard_at(const GoodputCase& c, double since_s) {
  return c.wear_time ? 1 + std::pow((c.age.si() + since_s) / c.wear_time->si(), 3) : 1;
}

double hazard_at(const GoodputCase& c, double since_s) {
  return worn_hazard_at(c, since_s) + young_hazard(c) * std::exp(-since_s / c.infant_time.si());
}

double most_hazard(const GoodputCase& c, double from_s, double to_s) {
  return worn_hazard_at(c, to_s) + young_hazard(c) * std::exp(-from_s / c.infant_time.si());
}

double most_hazard(const GoodputCase& c) { return most_hazard(c, 0, c.period.si()); }

double young_hazard(const GoodputCase& c) {
  return c.infant_factor * std::exp(-c.age.si() / c.infant_time.si());
}

double mean_hazard(const GoodputCase& c, double from_s, double to_s) {
  const double infant = c.infant_time.si();
  const double fallen = std::exp(-from_s / infant) * -std::expm1(-(to_s - from_s) / infant);
  return 1 + mean_wear(c, from_s, to_s) + young_hazard(c) * fallen * infant / (to_s - from_s);
}

double worn_hazard(const GoodputCase& c) { return 1 + mean_wear(c, 0, c.period.si()); }

bool hazard_varies(const GoodputCase& c) { return c.infant_factor > 0 || c.wear_time.has_value(); }

}  // namespace trainyard
