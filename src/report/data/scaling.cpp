#include <utility>

#include "model/scaling_laws.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "scenario/choices/training.h"
#include "trainyard/report/sweeps.h"

namespace trainyard {
namespace {

constexpr double kDay = 86400;

constexpr double kDurations_days[] = {7,   14,    30,  60,   90,   120,  180,  270,
                                      365, 547.5, 730, 1095, 1460, 2190, 2920, 3650};

}  // namespace

std::vector<ScalingCurve> scaling_curves(FlopRate rate) {
  std::vector<ScalingCurve> curves;
  for (const Choice<ScalingLaw>& law : Choices<ScalingLaw>::kAll) {
    ScalingCurve curve{law.value, std::string(law.name), {}, {}};
    for (const double days : kDurations_days) {
      curve.durations.emplace_back(days * kDay);
      curve.points.push_back(loss_optimal(law.value, Flop((rate * curve.durations.back()).si())));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::string scaling_json(const std::vector<ScalingCurve>& curves, FlopRate rate,
                         const Provenance& provenance) {
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["rate_flop_per_s"] = number_or_null(rate.si());
  json["curves"] = Json::array();
  for (const ScalingCurve& curve : curves) {
    Json points = Json::array();
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const LawPoint& p = curve.points[i];
      Json point = {{"duration_s", number_or_null(curve.durations[i].si())},
                    {"parameters", number_or_null(p.parameters)},
                    {"tokens", number_or_null(p.tokens)}};
      if (p.loss) point["loss"] = number_or_null(*p.loss);
      points.push_back(std::move(point));
    }
    json["curves"].push_back({{"law", curve.name}, {"points", std::move(points)}});
  }
  return dumped(json);
}

std::string scaling_csv(const std::vector<ScalingCurve>& curves) {
  CsvTable table("law,duration_s,parameters,tokens,loss");
  for (const ScalingCurve& curve : curves) {
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const LawPoint& p = curve.points[i];
      table.row(curve.name, curve.durations[i], p.parameters, p.tokens, p.loss);
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
