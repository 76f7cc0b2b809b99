#include "trainyard/long_haul.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "scenario/choices/transports.h"
#include "scenario/choices/wide_area.h"
#include "trainyard/provenance.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string long_haul_json(const Scenario& scenario, const std::vector<LongHaulResult>& results) {
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["sites"] = scenario.long_haul.sites;
  json["exchange"] = choice_name(scenario.long_haul.exchange);
  json["runs"] = Json::array();
  for (const LongHaulResult& r : results) {
    json["runs"].push_back({{"transport", choice_name(r.run.transport)},
                            {"bit_error_rate", r.run.bit_error_rate},
                            {"wide_area_first", r.run.wide_area_first},
                            {"flows", r.flows},
                            {"summed_bytes", r.run.bytes.si()},
                            {"ideal_s", r.ideal.si()},
                            {"median_s", r.median.si()},
                            {"p99_s", r.p99.si()},
                            {"longest_s", r.longest.si()},
                            {"exchange_s", r.exchange.si()},
                            {"local_longest_s", r.local_longest.si()},
                            {"overhead", r.overhead},
                            {"corrupted", r.counters.corrupted},
                            {"drops", r.counters.drops},
                            {"repeats", r.counters.repeats},
                            {"timeouts", r.counters.timeouts}});
  }
  return dumped(json);
}

std::string long_haul_csv(const std::vector<LongHaulResult>& results) {
  CsvTable table(
      "transport,bit_error_rate,wide_area_first,flows,summed_bytes,ideal_s,median_s,p99_s,longest_s,"
      "exchange_s,local_longest_s,overhead,corrupted,drops,repeats,timeouts");
  for (const LongHaulResult& r : results)
    table.row(choice_name(r.run.transport), r.run.bit_error_rate, r.run.wide_area_first, r.flows, r.run.bytes,
              r.ideal, r.median, r.p99, r.longest, r.exchange, r.local_longest, r.overhead,
              r.counters.corrupted, r.counters.drops, r.counters.repeats, r.counters.timeouts);
  return std::move(table).text();
}

}  // namespace trainyard
