#include "trainyard/mapping_gap.h"

#include <fmt/core.h>

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/mapping_words.h"
#include "scenario/choices/mapping.h"
#include "trainyard/report/validation.h"

namespace trainyard {
namespace {

Json mapping_json(const MappingInput& mapping) {
  Json out = Json::object();
  for (const auto& [key, value] : mapping_counts(mapping)) out[key] = value;
  return out;
}

Json gap_json(const MappingGap& gap) {
  Json item = {{"id", gap.run.id}, {"devices", gap.run.devices}, {"accelerator", gap.run.accelerator_key}};
  if (!gap.refused.empty()) {
    item["refused"] = gap.refused;
    return item;
  }
  item["submitted_s"] = gap.submitted.si();
  item["submitted_low_s"] = (gap.submitted * gap.interval.low).si();
  item["best_s"] = gap.best.si();
  item["gap_pct"] = gap.gap_pct();
  item["beyond_error_bar"] = gap.beyond_error_bar();
  item["submitted_fits"] = gap.submitted_fits;
  item["submitted"] = mapping_json(gap.own);
  item["best"] = mapping_json(gap.mapping);
  item["tried"] = gap.tried;
  item["fitting"] = gap.fitting;
  return item;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> mapping_counts(const MappingInput& m) {
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  return {{"tensor", count(m.tensor.value_or(1))},
          {"pipeline", count(m.pipeline.value_or(1))},
          {"data", count(m.data.value_or(1))},
          {"context", count(m.context)},
          {"expert", count(m.expert)},
          {"expert_tensor", m.expert_tensor ? count(*m.expert_tensor) : "as tensor"},
          {"virtual_stages", count(m.virtual_stages)},
          {"microbatch", count(m.microbatch)},
          {"zero_stage", count(m.zero_stage)},
          {"sequence_parallel", m.sequence_parallel ? "true" : "false"},
          {"recompute", std::string(choice_name(m.recompute))}};
}

std::string mapping_text(const MappingInput& m) {
  std::string out = fmt::format("tensor {}, pipeline {}", m.tensor.value_or(1), m.pipeline.value_or(1));
  const auto add = [&](const char* name, std::int64_t count) {
    if (count != 1) out += fmt::format(", {} {}", name, count);
  };
  add("data", m.data.value_or(1));
  add("context", m.context);
  add("expert", m.expert);
  if (m.expert_tensor) out += fmt::format(", expert tensor {}", *m.expert_tensor);
  add("virtual stages", m.virtual_stages);
  add("microbatch", m.microbatch);
  out += fmt::format(", ZeRO {}, recompute {}", m.zero_stage, choice_name(m.recompute));
  if (m.pipeline.value_or(1) > 1) out += fmt::format(", {}", choice_name(m.placement));
  return out;
}

std::vector<std::string> mapping_changes(const MappingGap& gap) {
  const auto own = mapping_counts(gap.own);
  const auto best = mapping_counts(gap.mapping);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].second != best[i].second)
      out.push_back(fmt::format("{} {}->{}", own[i].first, own[i].second, best[i].second));
  }
  return out;
}

std::string mapping_gaps_json(const MappingGaps& gaps, const Provenance& provenance) {
  Json json = {{"compared", gaps.compared},
               {"median_gap_pct", gaps.median_gap_pct},
               {"within_5_pct", gaps.within_5_pct}};
  json["runs"] = Json::array();
  for (const MappingGap& gap : gaps.runs) json["runs"].push_back(gap_json(gap));
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string mapping_gaps_csv(const MappingGaps& gaps) {
  CsvTable out("id,devices,submitted_s,best_s,gap_pct,beyond_error_bar,changes");
  for (const MappingGap& gap : gaps.runs) {
    if (!gap.refused.empty()) continue;
    std::string changes;
    for (const std::string& change : mapping_changes(gap)) changes += (changes.empty() ? "" : " ") + change;
    out.row(gap.run.id, gap.run.devices, gap.submitted, gap.best, gap.gap_pct(), gap.beyond_error_bar(),
            changes);
  }
  return std::move(out).text();
}

}  // namespace trainyard
