#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "report/wide_area_text.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }

bool with_local(const std::vector<LongHaulResult>& results) {
  for (const LongHaulResult& r : results) {
    if (r.local_longest > Seconds(0)) return true;
  }
  return false;
}

std::string row(const LongHaulResult& r, bool local) {
  std::string out = fmt::format("   {:>9} {:>8.1e}", choice_name(r.run.transport), r.run.bit_error_rate);
  if (local) out += fmt::format(" {:>9}", r.run.wide_area_first ? "first" : "equal");
  out +=
      fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8.2f} {:>8}", show(r.median), show(r.p99), show(r.longest),
                  show(r.exchange), r.exchange / r.ideal, format_quantity(r.overhead, Unit::fraction));
  out += fmt::format(" {:>9} {:>9} {:>9}", r.counters.corrupted, r.counters.drops, r.counters.repeats);
  if (local) out += fmt::format(" {:>10}", show(r.local_longest));
  return out + "\n";
}

}  // namespace

std::vector<LongHaulCase> long_haul_cases(const Scenario& scenario) {
  const LongHaulInput& input = scenario.long_haul;
  std::vector<Transport> transports = input.transports;
  if (transports.empty())
    transports = {Transport::cubic, Transport::bbr, Transport::scheduled, Transport::fec};
  LongHaulCase one;
  one.bytes = long_haul_bytes(scenario);
  std::vector<LongHaulCase> out;
  for (const double rate : input.bit_error_rates) {
    one.bit_error_rate = rate;
    for (const Transport transport : transports) {
      one.transport = transport;
      one.wide_area_first = false;
      out.push_back(one);
      if (input.local_flows == 0) continue;
      one.wide_area_first = true;
      out.push_back(one);
    }
  }
  return out;
}

std::string long_haul_text(const Scenario& scenario, const std::vector<LongHaulResult>& results) {
  const LongHaulResult& first = results.front();
  const bool local = with_local(results);
  std::string out = fmt::format(
      "{}\n\nPackets between {} sites ({}): {} flows, each host sums {}, {} path(s); at the least {} without "
      "losses\n",
      scenario.title, scenario.long_haul.sites, choice_name(scenario.long_haul.exchange), first.flows,
      format_quantity(first.run.bytes.si(), Unit::bytes), scenario.long_haul.path_rates.size(),
      show(first.ideal));
  out += fmt::format("   {:>9} {:>8}", "transport", "bit");
  if (local) out += fmt::format(" {:>9}", "wide area");
  out += fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9}", "median", "p99", "longest",
                     "exchange", "over", "over-", "lost to", "dropped", "repeated");
  if (local) out += fmt::format(" {:>10}", "local");
  out += fmt::format("\n   {:>9} {:>8}", "", "errors");
  if (local) out += fmt::format(" {:>9}", "is served");
  out += fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9}", "", "", "", "", "least",
                     "head", "errors", "", "");
  if (local) out += fmt::format(" {:>10}", "longest");
  out += "\n";
  for (const LongHaulResult& r : results) out += row(r, local);
  return out;
}

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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string long_haul_csv(const std::vector<LongHaulResult>& results) {
  std::string out =
      "transport,bit_error_rate,wide_area_first,flows,summed_bytes,ideal_s,median_s,p99_s,longest_s,exchange_"
      "s,local_longest_s,"
      "overhead,corrupted,drops,repeats,timeouts\n";
  for (const LongHaulResult& r : results)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", choice_name(r.run.transport),
                       r.run.bit_error_rate, r.run.wide_area_first, r.flows, r.run.bytes.si(), r.ideal.si(),
                       r.median.si(), r.p99.si(), r.longest.si(), r.exchange.si(), r.local_longest.si(),
                       r.overhead, r.counters.corrupted, r.counters.drops, r.counters.repeats,
                       r.counters.timeouts);
  return out;
}

Chart long_haul_chart(const std::vector<LongHaulResult>& results) {
  Chart chart{"long-haul",
              "Time of an exchange between sites",
              {"bit-error rate", Unit::number, true},
              {"time of the exchange", Unit::seconds, false},
              {}};
  for (const LongHaulResult& r : results) {
    if (r.run.bit_error_rate <= 0) continue;  // not on a logarithmic axis
    const std::string label =
        std::string(choice_name(r.run.transport)) + (r.run.wide_area_first ? ", wide area first" : "");
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(),
                             [&](const ChartLine& l) { return l.label == label; });
    if (line == chart.lines.end()) line = chart.lines.insert(chart.lines.end(), ChartLine{label, {}});
    line->points.push_back({r.run.bit_error_rate, r.exchange.si()});
  }
  return chart;
}

}  // namespace trainyard
