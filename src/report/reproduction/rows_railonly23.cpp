#include "report/reproduction/rows.h"

namespace trainyard {
namespace {

constexpr auto kRail = Analysis::rail;
constexpr auto kNetwork = Analysis::network;
constexpr auto kTrimmed = Analysis::trimmed;
constexpr const char* kTable2 = "railonly23-table2";
constexpr const char* kGpt3 = "railonly23-gpt3";
constexpr const char* kPalm = "railonly23-palm";
constexpr const char* kOpt = "railonly23-opt";

}  // namespace

const std::vector<RowSource>& railonly23_rows() {
  static const std::vector<RowSource> rows = {
      {"ro.palm.days",
       kRail,
       kPalm,
       "rail.days_to_train_s",
       {.changes = {"rail.gpus=256"}, .note = "dense peak"}},
      {"ro.bandwidth_ratio", kRail, kGpt3, "rail.bandwidth_ratio"},
      {"ro.ideal_speedup_low",
       kRail,
       kGpt3,
       "rail.ideal_speedup",
       {.changes = {"assumptions.peak=sparse"}, .note = "sparse peak; GPT3"}},
      {"ro.ideal_speedup_high",
       kRail,
       kPalm,
       "rail.ideal_speedup",
       {.changes = {"assumptions.peak=sparse"}, .note = "sparse peak; PaLM-540B with 512 sequences"}},
      {"ro.zero_pairs", kRail, kGpt3, "traffic.silent_pair_share", {.relation = Relation::at_least}},
      {"ro.hb_pairs", kRail, kGpt3, "traffic.domain_pair_share", {.relation = Relation::at_most}},
      {"ro.hb_volume", kRail, kGpt3, "traffic.domain_volume_share", {.relation = Relation::at_least}},
      {"ro.trim_links",
       kTrimmed,
       kGpt3,
       "rail_optimized.idle_links",
       {.note = "GPT3's traffic on the graph of a rail-optimized Clos of three tiers, 64 ports of 400 Gbps"}},
      {"ro.table2.32768.32.sota_switches", kNetwork, kTable2, "clos_32768_32.switches"},
      {"ro.table2.32768.32.rail_switches", kNetwork, kTable2, "rail_32768_32.switches"},
      {"ro.table2.32768.32.sota_transceivers", kNetwork, kTable2, "clos_32768_32.transceivers"},
      {"ro.table2.32768.32.rail_transceivers", kNetwork, kTable2, "rail_32768_32.transceivers"},
      {"ro.table2.32768.32.saving", kNetwork, kTable2, "rail_32768_32.price_saved"},
      {"ro.table2.32768.64.sota_switches", kNetwork, kTable2, "clos_32768_64.switches"},
      {"ro.table2.32768.64.rail_switches", kNetwork, kTable2, "rail_32768_64.switches"},
      {"ro.table2.32768.64.sota_transceivers", kNetwork, kTable2, "clos_32768_64.transceivers"},
      {"ro.table2.32768.64.rail_transceivers", kNetwork, kTable2, "rail_32768_64.transceivers"},
      {"ro.table2.32768.64.saving", kNetwork, kTable2, "rail_32768_64.price_saved"},
      {"ro.table2.32768.128.sota_switches", kNetwork, kTable2, "clos_32768_128.switches"},
      {"ro.table2.32768.128.rail_switches", kNetwork, kTable2, "rail_32768_128.switches"},
      {"ro.table2.32768.128.sota_transceivers", kNetwork, kTable2, "clos_32768_128.transceivers"},
      {"ro.table2.32768.128.rail_transceivers", kNetwork, kTable2, "rail_32768_128.transceivers"},
      {"ro.table2.32768.128.saving", kNetwork, kTable2, "rail_32768_128.price_saved"},
      {"ro.table2.32768.256.sota_switches", kNetwork, kTable2, "clos_32768_256.switches"},
      {"ro.table2.32768.256.rail_switches", kNetwork, kTable2, "rail_32768_256.switches"},
      {"ro.table2.32768.256.sota_transceivers", kNetwork, kTable2, "clos_32768_256.transceivers"},
      {"ro.table2.32768.256.rail_transceivers", kNetwork, kTable2, "rail_32768_256.transceivers"},
      {"ro.table2.32768.256.saving", kNetwork, kTable2, "rail_32768_256.price_saved"},
      {"ro.table2.65536.64.sota_switches", kNetwork, kTable2, "clos_65536_64.switches"},
      {"ro.table2.65536.64.rail_switches", kNetwork, kTable2, "rail_65536_64.switches"},
      {"ro.table2.65536.64.sota_transceivers", kNetwork, kTable2, "clos_65536_64.transceivers"},
      {"ro.table2.65536.64.rail_transceivers", kNetwork, kTable2, "rail_65536_64.transceivers"},
      {"ro.table2.65536.64.saving", kNetwork, kTable2, "rail_65536_64.price_saved"},
      {"ro.table2.65536.128.sota_switches", kNetwork, kTable2, "clos_65536_128.switches"},
      {"ro.table2.65536.128.rail_switches", kNetwork, kTable2, "rail_65536_128.switches"},
      {"ro.table2.65536.128.sota_transceivers", kNetwork, kTable2, "clos_65536_128.transceivers"},
      {"ro.table2.65536.128.rail_transceivers", kNetwork, kTable2, "rail_65536_128.transceivers"},
      {"ro.table2.65536.128.saving", kNetwork, kTable2, "rail_65536_128.price_saved"},
      {"ro.table2.65536.256.sota_switches", kNetwork, kTable2, "clos_65536_256.switches"},
      {"ro.table2.65536.256.rail_switches", kNetwork, kTable2, "rail_65536_256.switches"},
      {"ro.table2.65536.256.sota_transceivers", kNetwork, kTable2, "clos_65536_256.transceivers"},
      {"ro.table2.65536.256.rail_transceivers", kNetwork, kTable2, "rail_65536_256.transceivers"},
      {"ro.table2.65536.256.saving", kNetwork, kTable2, "rail_65536_256.price_saved"},
      {"ro.k.gpt3.32_64", kRail, kGpt3, "rail.gain_32_64"},
      {"ro.k.opt.32_64", kRail, kOpt, "rail.gain_32_64"},
      {"ro.k.gpt3.512_1024", kRail, kGpt3, "rail.gain_512_1024"},
      {"ro.k.opt.512_1024", kRail, kOpt, "rail.gain_512_1024"},
      {"ro.palm.rel.512",
       kRail,
       kPalm,
       "rail.relative_performance",
       {.changes = {"assumptions.peak=sparse"}, .note = "sparse peak"}},
      {"ro.palm.rel.2048",
       kRail,
       kPalm,
       "rail.relative_performance",
       {.changes = {"assumptions.peak=sparse", "rail.batch_tokens=4194304"}, .note = "sparse peak"}},
  };
  return rows;
}

}  // namespace trainyard
