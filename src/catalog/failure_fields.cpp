#include "catalog/catalog.h"
#include "catalog/entry_fields.h"

namespace trainyard {
namespace {

using F = FailureSet;

constexpr double kMostRate = 1e4;       // failures of a part a year
constexpr double kLeastWear_s = 86400;  // parts that wear out sooner do not live until they are installed

constexpr Range kTime = between(0, F::kMostTime_s);
constexpr Range kSomeTime = {0, F::kMostTime_s, true};

Field<F> rate(std::string name, double F::*member, std::string sentence) {
  return field(std::move(name), member, between(0, kMostRate), std::move(sentence));
}

FieldTable<F> rate_fields() {
  return {
      rate("gpu", &F::gpu, "Failures of an accelerator a year of 365 days."),
      rate("memory", &F::memory, "Failures of an accelerator's memory a year."),
      rate("nic", &F::nic, "Failures of the NIC of an accelerator a year."),
      rate("transceiver", &F::transceiver, "Failures of one end of a cable a year."),
      rate("cable", &F::cable, "Failures of a cable a year."),
      rate("switch_chip", &F::switch_chip, "Failures of a switch chip a year."),
      rate("plane", &F::plane, "Failures of a plane of the network as a whole a year."),
      rate("host", &F::host, "Failures of a server a year: processors, memory, disks, power supplies, fans."),
      rate("rack_power", &F::rack_power, "Failures of a rack's power a year."),
      rate("power_feed", &F::power_feed, "Failures of the feed of resilience.feed_racks racks a year."),
      rate("cooling", &F::cooling, "Failures of the cooling loop of as many racks a year."),
      rate("site", &F::site, "Outages of the site a year."),
      rate("software", &F::software, "Failures of a server's share of the software a year."),
      rate("silent", &F::silent, "Silent corruptions by an accelerator a year that are found later."),
      rate("straggler", &F::straggler, "Times a year at which a server turns slow."),
      rate("planned", &F::planned, "Planned interruptions of a job a year."),
      field("infant_factor", &F::infant_factor, between(0, 1000),
            "Bathtub: how much more often new hardware fails, less 1."),
      field("infant_time", &F::infant_time, kSomeTime, "Bathtub: age at which that is down to 1/e."),
      field("wear_time", &F::wear_time, at_least(kLeastWear_s),
            "Bathtub: age at which wear has doubled the constant rate; it grows with the cube of age.")
          .otherwise("no wear"),
  };
}

FieldTable<F> practice_fields() {
  return {
      field("detection", &F::detection, kTime, "Time until a failure with an error is seen."),
      field("hang_share", &F::hang_share, between(0, 1), "Share of failures that show as a hang."),
      field("hang_detection", &F::hang_detection, kTime, "Time until a hang is seen."),
      field("silent_detection", &F::silent_detection, kSomeTime,
            "Mean time until a silent corruption is seen."),
      field("straggler_slowdown", &F::straggler_slowdown, between(0, 100),
            "Extra time of a step that a slow server causes."),
      field("straggler_detection", &F::straggler_detection, kTime, "Time until a slow server is evicted."),
      field("restart", &F::restart, kTime,
            "Time from the decision to the first step, without reading the checkpoint."),
      field("hot_swap", &F::hot_swap, kTime, "Time in which a running spare takes a server's place."),
      field("cold_swap", &F::cold_swap, kTime, "The same of a spare that is off."),
      field("manual_share", &F::manual_share, between(0, 1), "Share of failures that need people."),
      field("manual_time", &F::manual_time, kTime, "Time that people take to find what is wrong."),
      field("repair", &F::repair, kSomeTime, "Mean time to repair a server."),
      field("link_repair", &F::link_repair, kSomeTime, "The same of a cable, transceiver or switch."),
      field("facility_repair", &F::facility_repair, kSomeTime, "The same of power and cooling."),
  };
}

}  // namespace

const FieldTable<FailureSet>& failure_set_fields() {
  static const FieldTable<F> table = [] {
    FieldTable<F> own = rate_fields();
    for (Field<F>& f : practice_fields()) own.push_back(std::move(f));
    return with_entry_fields<F>(std::move(own));
  }();
  return table;
}

}  // namespace trainyard
