#include "trainyard/report/goodput.h"

#include <fmt/core.h>

#include "report/data/csv.h"
#include "report/data/goodput_words.h"
#include "report/data/json.h"
#include "trainyard/goodput.h"
#include "trainyard/provenance.h"
#include "trainyard/resilience_truth.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kDay_s = 86400;

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean},
          {"low", spread.low},
          {"high", spread.high},
          {"standard_error", spread.standard_error}};
}

/// What runs that never end make infinite is null, and what no run was simulated for.
Json days_json(const GoodputAnswer& answer) {
  const TargetTimes& target = answer.target;
  const auto days = [](double seconds) { return number_or_null(seconds / kDay_s); };
  const auto of_runs = [&](double seconds) { return target.simulated() ? days(seconds) : Json(nullptr); };
  const auto closed = [&](double seconds) { return answer.training.endless ? Json(nullptr) : days(seconds); };
  const std::optional<Seconds> deviation = answer.training.deviation;
  Json out = {{"mean", target.simulated() ? days(target.time_s.mean) : closed(target.time_s.mean)},
              {"low", of_runs(target.time_s.low)},
              {"high", of_runs(target.time_s.high)},
              {"standard_error", of_runs(target.time_s.standard_error)},
              {"median", of_runs(target.median_s)},
              {"mean_of_ended", of_runs(target.mean_of_ended_s)},
              {"ended_share", target.simulated() ? Json(target.ended) : Json(nullptr)},
              {"runs", target.runs},
              {"closed_form", closed(answer.training.time->si())},
              {"closed_form_deviation", deviation ? days(deviation->si()) : Json(nullptr)},
              {"of_mean_work", days(answer.training.of_mean_work.si())}};
  if (const std::string words = target_words(answer); !words.empty()) out["note"] = words;
  return out;
}

FailureCause cause_of(std::size_t index) { return static_cast<FailureCause>(index); }

Json lost_json(const MonthsResult& months) {
  Json out;
  for (std::size_t i = 0; i < kFailureCauses; ++i)
    out[std::string(failure_cause_name(cause_of(i)))] = months.lost[i].total_h();
  out["checkpoint"] = months.checkpoint_h;
  out["waiting_for_servers"] = months.waiting_h;
  out["fewer_replicas"] = months.shrunk_h;
  return out;
}

Json causes_json(const MonthsResult& months) {
  Json out = Json::array();
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    const LostTime& lost = months.lost[i];
    out.push_back({{"cause", failure_cause_name(cause_of(i))},
                   {"failures", lost.failures},
                   {"down_h", lost.down_h},
                   {"rework_h", lost.rework_h},
                   {"slow_h", lost.slow_h}});
  }
  return out;
}

Json form_json(const GoodputForm& form, const TrainingForm& training) {
  return {{"ettr", form.ettr},
          {"long_run_ettr", form.long_run_ettr},
          {"up_share", form.up_share},
          {"checkpoint_share", form.checkpoint_share},
          {"served_share", form.served_share},
          {"speed_share", form.speed_share},
          {"mean_time_to_interruption_s", form.mean_time_to_interruption.si()},
          {"downtime_s", form.downtime.si()},
          {"to_target_ettr", training.useful},
          {"young_interval_s", training.form.young.si()},
          {"daly_interval_s", training.form.daly.si()}};
}

Json modes_json(const GoodputCase& c) {
  Json out = Json::array();
  for (const FailureMode& mode : c.modes) {
    out.push_back({{"cause", failure_cause_name(mode.cause)},
                   {"what", mode.what},
                   {"parts", mode.parts},
                   {"failures_per_day", mode.rate_per_s * kDay_s},
                   {"stops", mode.stops},
                   {"servers", mode.hosts},
                   {"slowdown", mode.slowdown}});
  }
  return out;
}

Json worth_json(const std::vector<WorthRow>& rows, const char* name) {
  Json out = Json::array();
  for (const WorthRow& row : rows)
    out.push_back({{name, row.value},
                   {"ettr", row.ettr},
                   {"days", row.time.si() / kDay_s},
                   {"usd", row.cost.si()},
                   {"no_mean", row.endless}});
  return out;
}

Json timeline_json(const MonthsResult& months) {
  constexpr const char* kStates[] = {"training", "slow", "down", "waiting"};
  Json out = Json::array();
  for (const TimelinePiece& piece : months.timeline) {
    Json one = {{"from_s", piece.from.si()},
                {"to_s", piece.to.si()},
                {"state", kStates[static_cast<std::size_t>(piece.state)]}};
    if (piece.state == RunState::slow || piece.state == RunState::down)
      one["cause"] = failure_cause_name(piece.cause);
    out.push_back(std::move(one));
  }
  return out;
}

std::string figure(double value) { return fmt::format("{:.4g}", value); }

std::string published_text(const ResilienceRow& row) {
  if (row.at_least) return "above " + figure(row.published);
  if (row.published_high > row.published) return figure(row.published) + " to " + figure(row.published_high);
  return figure(row.published);
}

}  // namespace

std::string goodput_json(const Scenario& scenario, const GoodputAnswer& answer, Seconds processor_time) {
  const MonthsResult& months = answer.months;
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["ettr"] = spread_json(months.ettr);
  json["interruptions"] = spread_json(months.interruptions);
  json["days"] = days_json(answer);
  json["ideal_days"] = answer.ideal.si() / kDay_s;
  json["usd"] = number_or_null(answer.cost.si());
  json["ideal_usd"] = answer.ideal_cost.si();
  json["lost_hours"] = lost_json(months);
  json["useful_hours"] = months.useful_h;
  json["period_hours"] = months.period_h;
  json["checkpoint_interval_s"] = answer.form.interval.si();
  json["checkpoint_bytes"] = answer.question.checkpoint_bytes.si();
  json["checkpoint_stall_s"] = answer.question.stall.si();
  json["checkpoint_write_s"] = answer.question.write.si();
  json["closed_form"] = form_json(answer.form, answer.training);
  json["spares"] = answer.question.spares;
  json["best_spares"] = or_null(answer.best_spares);
  if (answer.better_without) json["spares_do_not_pay"] = better_without_words(answer);
  json["spares_worth"] = worth_json(answer.spares, "spares");
  json["detection_worth"] = worth_json(answer.detection, "time_factor");
  json["causes"] = causes_json(months);
  json["modes"] = modes_json(answer.question);
  json["timeline"] = timeline_json(months);
  json["seed"] = answer.question.seed;
  json["runs"] = months.runs;
  json["events"] = months.events;
  json["cpu_s"] = processor_time.si();
  return dumped(json);
}

std::string goodput_csv(const GoodputAnswer& answer) {
  const MonthsResult& months = answer.months;
  CsvTable table("cause,failures,down_h,rework_h,slow_h,lost_h");
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    const LostTime& lost = months.lost[i];
    table.row(failure_cause_name(cause_of(i)), lost.failures, lost.down_h, lost.rework_h, lost.slow_h,
              lost.total_h());
  }
  const auto other = [&](const char* name, double hours) { table.row(name, "", "", "", "", hours); };
  other("checkpoint", months.checkpoint_h);
  other("waiting_for_servers", months.waiting_h);
  other("fewer_replicas", months.shrunk_h);
  return std::move(table).text();
}

TextTable resilience_table(const std::vector<ResilienceRow>& rows) {
  TextTable table{{"job", "quantity", "published", "set", "by_set", "agrees", "by_default", "default_agrees",
                   "role", "known", "source"},
                  {}};
  for (const ResilienceRow& row : rows) {
    table.rows.push_back({row.job, row.quantity, published_text(row), row.set, figure(row.by_set),
                          row.set_agrees ? "yes" : "no", figure(row.by_default),
                          row.default_agrees ? "yes" : "no", row.fitted ? "fitted" : "predicted",
                          row.recalled ? "recalled" : "read", row.source});
  }
  return table;
}

TextTable resilience_records(const std::vector<ResilienceRow>& rows) {
  TextTable table{{"job", "quantity", "published", "published_high", "relation", "set", "by_set", "agrees",
                   "by_default", "default_agrees", "role", "known", "source"},
                  {},
                  {"published", "published_high", "by_set", "agrees", "by_default", "default_agrees"}};
  const auto number = [](double value) { return fmt::format("{}", value); };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  for (const ResilienceRow& row : rows) {
    const bool is_range = !row.at_least && row.published_high > row.published;
    table.rows.push_back(
        {row.job, row.quantity, number(row.published), number(is_range ? row.published_high : row.published),
         row.at_least ? "at_least" : (is_range ? "range" : "equal"), row.set, number(row.by_set),
         truth(row.set_agrees), number(row.by_default), truth(row.default_agrees),
         row.fitted ? "fitted" : "predicted", row.recalled ? "recalled" : "read", row.source});
  }
  return table;
}

}  // namespace trainyard
