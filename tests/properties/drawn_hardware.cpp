#include "drawn_hardware.h"

#include <algorithm>

#include "trainyard/catalog.h"
#include "trainyard/range.h"

namespace trainyard::properties {
namespace {

void draw_accelerator(Dice& dice, Draft& draft) {
  const std::int64_t peak = dice.between(100, 2500);
  draft.section("catalog.accelerators.drawn")
      .text("name", "Drawn")
      .set("memory", gigabytes(dice.one_in(3) ? dice.between(80, 288) : 4000))
      .set("memory_rate", gigabytes_per_second(dice.between(1000, 8000)))
      .set("scale_up_rate", gbps(dice.between(600, 7200)))
      .set("host_rate", gigabytes_per_second(dice.between(16, 128)))
      .set("price", usd(dice.between(10000, 60000)))
      .text("source", "drawn");
  draft.section("catalog.accelerators.drawn.dense")
      .set("bf16", teraflop_per_second(peak))
      .set("fp8", teraflop_per_second(2 * peak));
  draft.section("catalog.accelerators.drawn.sparse")
      .set("bf16", teraflop_per_second(2 * peak))
      .set("fp8", teraflop_per_second(4 * peak));
}

void draw_domain(Dice& dice, Draft& draft, std::int64_t domain) {
  draft.section("catalog.nics.drawn")
      .set("rate", draw_link_rate(dice))
      .set("price", usd(dice.between(500, 3000)))
      .set("power", watts(dice.between(10, 50)))
      .text("source", "drawn");
  draft.section("catalog.hb_domains.drawn")
      .text("accelerator", "drawn")
      .set("devices", domain)
      .set("racks", domain > 16 ? "1" : "0.25")
      .set("price", usd(40000 * domain + dice.between(0, 100000)))
      .set("power", watts(1200 * domain + dice.between(0, 3000)))
      .text("nic", "drawn")
      .text("source", "drawn");
}

void draw_prices(Dice& dice, Draft& draft) {
  draft.section("catalog.prices.drawn")
      .set("transceiver", usd(dice.between(300, 1000)))
      .set("transceiver_rate", gbps(400))
      .set("switch_port", usd(dice.between(300, 1000)))
      .set("switch_port_rate", gbps(400))
      .set("electricity", mills_per_kwh(dice.between(40, 200)))
      .set("depreciation", "\"" + std::to_string(dice.between(3, 6)) + " years\"")
      .text("source", "drawn");
}

}  // namespace

Amount draw_link_rate(Dice& dice) { return gbps(dice.pick({100, 200, 400, 800})); }

std::int64_t draw_hardware(Dice& dice, Draft& draft, std::int64_t devices) {
  const std::int64_t domain = std::min(devices, dice.pick<std::int64_t>({4, 8, 8, 16, 32}));
  draw_accelerator(dice, draft);
  draw_domain(dice, draft, domain);
  draw_prices(dice, draft);
  draft.section("facility")
      .set("devices", devices / domain * domain)
      .text("hb_domain", "drawn")
      .text("prices", "drawn")
      .set("pue_high", dice.pick<std::string>({"1.3", "1.25", "1.5"}))
      .set("load", dice.pick<std::string>({"1", "0.75", "0.9"}));
  return domain;
}

}  // namespace trainyard::properties
