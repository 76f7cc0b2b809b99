#include "trainyard/operation.h"

#include "report/data/csv.h"
#include "report/data/failures_json.h"
#include "report/data/json.h"
#include "trainyard/provenance.h"
#include "trainyard/report/operation.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

Json operation_hours_json(const OperationDay& day) {
  Json out = Json::array();
  for (const OperationHour& h : day.hours) {
    out.push_back({{"from_s", h.from.si()},
                   {"to_s", h.to.si()},
                   {"cap_w", h.cap.si()},
                   {"price_usd_per_mwh", h.price.si() * kJoulesOfMwh},
                   {"replicas", h.replicas},
                   {"training_devices", h.training_devices},
                   {"clock", h.clock},
                   {"service_wanted_devices", h.service_wanted},
                   {"service_devices", h.service_devices},
                   {"changing_s", h.changing.si()},
                   {"power_w", h.power.si()}});
  }
  return out;
}

Json operation_day_json(const OperationDay& day) {
  return {{"name", day.name},
          {"speed", day.speed},
          {"to_train_s", or_null(day.days)},
          {"energy_j_per_day", day.energy.si()},
          {"energy_usd_per_day", day.energy_cost.si()},
          {"service_usd_per_day", day.service_income.si()},
          {"service_wanted_device_h_per_day", day.service_wanted_h},
          {"service_served_device_h_per_day", day.service_served_h},
          {"service_energy_j_per_day", day.service_energy.si()},
          {"service_energy_usd_per_day", day.service_energy_cost.si()},
          {"idle_power_w", day.idle_power.si()},
          {"changes_per_day", day.changes},
          {"net_cost_usd", or_null(day.cost)}};
}

Json operation_days_json(const std::vector<OperationDay>& days) {
  Json out = Json::array();
  for (const OperationDay& day : days) out.push_back(operation_day_json(day));
  return out;
}

Json swings_json(const std::vector<PowerSwing>& swings) {
  Json out = Json::array();
  for (const PowerSwing& s : swings) {
    out.push_back({{"what", s.what},
                   {"from_w", s.from.si()},
                   {"to_w", s.to.si()},
                   {"over_s", s.over.si()},
                   {"per_day", s.per_day},
                   {"store_j", or_null(s.store)}});
  }
  return out;
}

Json checkpoint_json(const CheckpointTraffic& c) {
  return {{"backups", c.backups},          {"bytes", c.bytes.si()},      {"write_s", c.write.si()},
          {"interval_s", c.interval.si()}, {"rate_share", c.rate_share}, {"step_s", c.step.si()},
          {"slowdown", c.slowdown}};
}

}  // namespace

std::string operation_json(const Scenario& scenario, const OperationAnswer& a) {
  Json step_power = Json::array();
  for (const Watts power : a.step_power) step_power.push_back(power.si());
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["failures"] = failures_json(scenario);
  json["devices"] = a.devices;
  json["replicas"] = a.replicas;
  json["replica_devices"] = a.replica_devices;
  json["power_limit_w"] = a.power_limit.si();
  json["full_power_w"] = a.full_power.si();
  json["training_power_w"] = a.training_power.si();
  json["goodput"] = a.goodput;
  json["no_mean"] = a.endless;
  json["ideal_s"] = a.ideal.si();
  json["period_s"] = a.period.si();
  json["asked"] = operation_day_json(a.asked);
  json["hours"] = operation_hours_json(a.asked);
  json["others"] = operation_days_json(a.others);
  json["pauses"] = operation_days_json(a.pauses);
  json["earned_usd_per_mwh"] = or_null(a.earned_usd_per_mwh);
  json["step_s"] = a.step.si();
  json["step_power_w"] = std::move(step_power);
  json["swings"] = swings_json(a.swings);
  json["checkpoint"] = checkpoint_json(a.checkpoint);
  return dumped(json);
}

std::string operation_csv(const OperationAnswer& a) {
  CsvTable table(
      "from_s,to_s,cap_w,price_usd_per_mwh,replicas,training_devices,clock,service_wanted_devices,service_"
      "devices,"
      "changing_s,power_w");
  for (const OperationHour& h : a.asked.hours)
    table.row(h.from, h.to, h.cap, h.price.si() * kJoulesOfMwh, h.replicas, h.training_devices, h.clock,
              h.service_wanted, h.service_devices, h.changing, h.power);
  return std::move(table).text();
}

}  // namespace trainyard
