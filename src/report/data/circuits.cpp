#include "trainyard/report/circuits.h"

#include <cmath>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/circuits.h"
#include "trainyard/provenance.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

Json circuit_step_json(const CircuitStep& s) {
  return {{"step_s", s.step.si()},        {"step_at_once_s", s.at_once.si()}, {"change_s", s.change.si()},
          {"changes", s.changes},         {"most_changes", s.most_changes},   {"changing_s", s.changing.si()},
          {"exposed_s", s.exposed().si()}};
}

Json circuit_uses_json(const std::vector<CircuitUse>& uses) {
  Json out = Json::array();
  for (const CircuitUse& use : uses) {
    out.push_back({{"kind", use.kind},
                   {"pattern", use.pattern},
                   {"members", use.members},
                   {"neighbours", use.neighbours},
                   {"ports", use.ports},
                   {"rate_share", use.share},
                   {"detour", use.detour},
                   {"turns", use.turns},
                   {"electrical", use.electrical},
                   {"transfers", use.transfers},
                   {"bytes", use.bytes.si()}});
  }
  return out;
}

Json circuit_networks_json(const std::vector<CircuitNetwork>& networks) {
  Json out = Json::array();
  for (const CircuitNetwork& n : networks) {
    out.push_back({{"name", n.name},
                   {"switches", n.switches},
                   {"transceivers", n.transceivers},
                   {"optical_ends", n.optical_ends},
                   {"price_usd", n.price.si()},
                   {"power_w", or_null(n.power)},
                   {"power_known_w", n.power_known.si()},
                   {"step_s", n.step.si()}});
  }
  return out;
}

Json circuit_failures_json(const std::vector<CircuitFailure>& failures) {
  Json out = Json::array();
  for (const CircuitFailure& f : failures) {
    out.push_back({{"network", f.network},
                   {"what", f.what},
                   {"parts", f.parts},
                   {"devices", f.devices},
                   {"kept", f.kept},
                   {"away_s", f.away.si()},
                   {"step_s", or_null(f.step)},
                   {"then", f.then}});
  }
  return out;
}

Json circuit_choices_json(const std::vector<CircuitChoice>& rows) {
  Json out = Json::array();
  for (const CircuitChoice& row : rows) {
    Json one = {{"name", row.name},
                {"change_s", row.change.si()},
                {"price_usd", or_null(row.price)},
                {"power_w", or_null(row.power)},
                {"why_not", row.why}};
    one["step"] = row.step ? circuit_step_json(*row.step) : Json(nullptr);
    out.push_back(std::move(one));
  }
  return out;
}

Json pieces_json(const std::vector<CircuitPiece>& pieces) {
  Json out = Json::array();
  for (const CircuitPiece& piece : pieces) {
    out.push_back({{"stage", piece.stage},
                   {"from_s", piece.from.si()},
                   {"to_s", piece.to.si()},
                   {"kind", piece.kind},
                   {"changing", piece.changing}});
  }
  return out;
}

Json rails_json(const CircuitRails& r) {
  return {{"rails", r.rails},
          {"devices", r.hosts},
          {"ports", r.ports},
          {"ports_on_switch", r.ports_on_switch},
          {"rails_on_switch", r.rails_on_switch},
          {"switches", r.switches},
          {"switch_ports", r.switch_ports},
          {"spare_servers", r.spare_servers}};
}

}  // namespace

std::string circuits_json(const Scenario& scenario, const CircuitsAnswer& answer) {
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["electrical_step_s"] = answer.electrical.si();
  json["overhead"] = answer.overhead();
  json["sharing_s"] = answer.step.sharing(answer.electrical).si();
  json["circuits"] = circuit_step_json(answer.step);
  json["rail"] = rails_json(answer.rails);
  json["uses"] = circuit_uses_json(answer.uses);
  json["networks"] = circuit_networks_json(answer.networks);
  json["failures"] = circuit_failures_json(answer.failures);
  json["rules"] = circuit_choices_json(answer.rules);
  json["times"] = circuit_choices_json(answer.times);
  json["switches"] = circuit_choices_json(answer.switches);
  json["timeline"] = pieces_json(answer.timeline);
  return dumped(json);
}

std::string circuits_csv(const CircuitsAnswer& answer) {
  CsvTable table("table,name,change_s,step_s,overhead,changes,price_usd,power_w,why_not");
  for (const CircuitNetwork& n : answer.networks) {
    table.row("network", n.name, std::nullopt, n.step, n.step / answer.electrical - 1, std::nullopt, n.price,
              n.power, "");
  }
  const auto add = [&](const char* name, const std::vector<CircuitChoice>& rows) {
    for (const CircuitChoice& row : rows) {
      const auto of_step = [&](double value) { return row.step ? std::optional(value) : std::nullopt; };
      const CircuitStep s = row.step.value_or(CircuitStep{});
      table.row(name, row.name, row.change, of_step(s.step.si()), of_step(s.step / answer.electrical - 1),
                of_step(s.changes), row.price, row.power, row.why);
    }
  };
  add("rule", answer.rules);
  add("time", answer.times);
  add("switch", answer.switches);
  return std::move(table).text();
}

}  // namespace trainyard
