#include "workload/size_distributions.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard::workload {

const std::vector<PublishedSizes>& published_sizes() {
  static const std::vector<PublishedSizes> all = {
      // The mean is the one that ns-2 scripts use with these points (mean_flow_size beside CDF_dctcp.tcl).
      {FlowSizes::web_search,
       "Alizadeh et al. 2010, Fig. 4; numbers: HPCC (Li et al. 2019), traffic_gen/WebSearch_distribution.txt",
       1'711'250.0,
       1e-9,
       {{0, 0},
        {10'000, 150'000'000},
        {20'000, 200'000'000},
        {30'000, 300'000'000},
        {50'000, 400'000'000},
        {80'000, 530'000'000},
        {200'000, 600'000'000},
        {1'000'000, 700'000'000},
        {2'000'000, 800'000'000},
        {5'000'000, 900'000'000},
        {10'000'000, 970'000'000},
        {30'000'000, 1'000'000'000}}},
      // The mean is pFabric's, in whole packets.
      {FlowSizes::data_mining,
       "Greenberg et al. 2009, Fig. 2, as pFabric (Alizadeh et al. 2013) gives it in packets of 1460 bytes; "
       "numbers: HKUST-SING/TrafficGenerator, conf/CDF_vl2.txt",
       5117 * 1460.0,
       1e-3,
       {{1'460, 0},
        {1'460, 500'000'000},
        {2'920, 600'000'000},
        {4'380, 700'000'000},
        {10'220, 800'000'000},
        {389'820, 900'000'000},
        {3'076'220, 950'000'000},
        {97'333'820, 990'000'000},
        {973'333'820, 1'000'000'000}}},
      // Published without a mean.
      {FlowSizes::hadoop,
       "Roy et al. 2015, Fig. 6; numbers: HPCC (Li et al. 2019), traffic_gen/FbHdp_distribution.txt",
       std::nullopt,
       0,
       {{0, 0},
        {100, 10'000'000},
        {200, 20'000'000},
        {300, 50'000'000},
        {350, 150'000'000},
        {400, 200'000'000},
        {500, 300'000'000},
        {600, 400'000'000},
        {700, 500'000'000},
        {1'000, 600'000'000},
        {2'000, 670'000'000},
        {7'000, 700'000'000},
        {30'000, 720'000'000},
        {50'000, 820'000'000},
        {80'000, 870'000'000},
        {120'000, 900'000'000},
        {300'000, 950'000'000},
        {1'000'000, 975'000'000},
        {2'000'000, 990'000'000},
        {10'000'000, 1'000'000'000}}},
      // Of hundreds of sizes, those between which a line is within 0.03 of every share; the means are of all.
      {FlowSizes::w1,
       "Montazeri et al. 2018, Fig. 1; numbers: PlatformLab/HomaModule, util/dist.cc, thinned",
       189.2,
       0.01,
       {{8, 0},
        {8, 310'940'000},
        {10, 323'495'000},
        {12, 418'030'000},
        {17, 476'064'276},
        {57, 561'595'732},
        {97, 629'199'618},
        {151, 699'702'583},
        {209, 756'439'638},
        {264, 798'031'318},
        {324, 833'130'518},
        {398, 865'832'999},
        {489, 895'177'631},
        {582, 917'141'224},
        {694, 935'930'526},
        {827, 951'535'102},
        {986, 964'120'547},
        {1'175, 973'985'322},
        {1'401, 981'508'502},
        {1'669, 987'098'926},
        {1'989, 991'153'620},
        {2'441, 994'416'123},
        {2'996, 996'542'563},
        {3'785, 998'041'613},
        {4'782, 998'911'369},
        {6'222, 999'448'111},
        {8'582, 999'764'579},
        {12'549, 999'915'983},
        {20'033, 999'976'940},
        {38'111, 999'996'212},
        {100'000, 1'000'000'000}}},
      {FlowSizes::w2,
       "Montazeri et al. 2018, Fig. 1; numbers: PlatformLab/HomaModule, util/dist.cc, thinned",
       441.6,
       0.01,
       {{8, 0},
        {8, 170'107'628},
        {32, 179'558'052},
        {49, 278'336'320},
        {67, 327'199'291},
        {116, 339'413'087},
        {197, 421'091'812},
        {256, 457'732'722},
        {301, 575'479'810},
        {341, 664'792'026},
        {394, 754'104'242},
        {465, 843'416'458},
        {539, 912'786'096},
        {683, 931'869'902},
        {853, 946'182'757},
        {1'078, 959'255'165},
        {1'365, 968'415'396},
        {1'707, 975'285'569},
        {2'409, 984'588'925},
        {3'151, 990'314'065},
        {4'312, 995'478'618},
        {5'851, 997'029'178},
        {8'623, 998'448'538},
        {12'603, 998'734'795},
        {19'275, 998'961'415},
        {29'789, 999'104'543},
        {109'227, 999'740'421},
        {137'971, 999'876'095},
        {187'246, 999'928'278},
        {262'144, 999'970'024},
        {327'680, 999'977'851},
        {795'085, 999'988'753},
        {1'297'841, 999'993'944},
        {2'243'665, 999'997'404},
        {3'529'904, 1'000'000'000}}},
      {FlowSizes::w3,
       "Montazeri et al. 2018, Fig. 1; numbers: PlatformLab/HomaModule, util/dist.cc, thinned",
       2927.7,
       0.01,
       {{8, 0},
        {8, 64'882'623},
        {32, 81'103'279},
        {46, 126'297'336},
        {70, 171'629'270},
        {96, 269'780'473},
        {158, 397'300'524},
        {268, 510'947'149},
        {331, 615'318'235},
        {402, 693'596'550},
        {531, 787'716'904},
        {796, 838'038'680},
        {1'229, 877'151'955},
        {1'843, 902'519'930},
        {2'731, 921'364'688},
        {5'183, 946'791'107},
        {6'864, 958'154'106},
        {9'735, 970'523'996},
        {12'674, 978'479'109},
        {16'540, 984'747'888},
        {22'851, 987'871'021},
        {31'576, 990'132'600},
        {43'067, 991'746'059},
        {87'381, 995'170'782},
        {107'241, 996'246'656},
        {131'630, 997'134'484},
        {169'961, 997'729'265},
        {219'383, 998'189'379},
        {331'471, 998'886'865},
        {417'792, 999'228'409},
        {526'844, 999'499'491},
        {696'652, 999'625'563},
        {922'664, 999'721'379},
        {1'226'277, 999'794'501},
        {1'634'235, 999'849'973},
        {2'155'839, 999'890'317},
        {2'834'317, 999'920'574},
        {3'710'020, 999'943'267},
        {4'883'570, 999'960'917},
        {6'309'051, 999'973'525},
        {8'231'141, 999'983'611},
        {10'668'901, 999'991'175},
        {15'158'197, 1'000'000'000}}},
      {FlowSizes::w4,
       "Montazeri et al. 2018, Fig. 1; numbers: PlatformLab/HomaModule, util/dist.cc, thinned",
       127'797.0,
       0.01,
       {{53, 0},
        {217, 14'525'000},
        {305, 64'825'000},
        {326, 133'225'000},
        {365, 186'325'000},
        {474, 257'765'000},
        {615, 467'740'000},
        {800, 574'990'000},
        {1'664, 666'275'000},
        {4'783, 690'975'000},
        {41'636, 746'310'000},
        {52'097, 816'370'000},
        {102'058, 887'660'000},
        {167'112, 919'655'000},
        {278'129, 951'175'000},
        {470'507, 962'335'000},
        {917'977, 971'545'000},
        {2'169'118, 986'720'000},
        {3'997'329, 991'550'000},
        {5'426'418, 994'150'000},
        {10'000'000, 1'000'000'000}}},
      {FlowSizes::w5,
       "Montazeri et al. 2018, Fig. 1; numbers: PlatformLab/HomaModule, util/dist.cc, thinned",
       2'564'690.0,
       0.01,
       {{1'430, 0},
        {2'860, 37'500'000},
        {8'580, 137'500'000},
        {22'050, 225'000'000},
        {29'400, 303'571'500},
        {79'380, 530'437'500},
        {198'450, 600'281'000},
        {980'490, 698'783'000},
        {1'959'510, 798'799'000},
        {4'899'510, 898'750'000},
        {10'291'470, 901'252'500},
        {28'910'490, 996'253'500},
        {29'400'000, 1'000'000'000}}},
  };
  return all;
}

SizeDistribution::SizeDistribution(std::vector<SizePoint> points) : points_(std::move(points)) {
  TY_ASSERT(points_.size() > 1 && points_.front().share == 0 && points_.back().share == kWholeShare,
            "a table of sizes goes from nothing to all");
  for (std::size_t i = 1; i < points_.size(); ++i)
    TY_ASSERT(points_[i - 1].bytes <= points_[i].bytes && points_[i - 1].share <= points_[i].share,
              "a table of sizes rises");
}

std::uint64_t SizeDistribution::sample(std::uint64_t hash) const {
  const std::uint64_t share = ((hash >> 30U) * kWholeShare) >> 34U;  // of 2^34, what fits into 64 bits
  const auto high = std::upper_bound(points_.begin(), points_.end(), share,
                                     [](std::uint64_t s, const SizePoint& point) { return s < point.share; });
  const auto low = high - 1;
  const std::uint64_t span = high->share - low->share;
  const std::uint64_t above = (high->bytes - low->bytes) * (share - low->share);
  return std::max<std::uint64_t>(1, low->bytes + (above + span / 2) / span);
}

double SizeDistribution::mean() const {
  double sum = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const double middle =
        (static_cast<double>(points_[i - 1].bytes) + static_cast<double>(points_[i].bytes)) / 2;
    sum += middle * static_cast<double>(points_[i].share - points_[i - 1].share);
  }
  return sum / static_cast<double>(kWholeShare);
}

SizeDistribution size_distribution(FlowSizes name, std::uint64_t bytes) {
  if (name == FlowSizes::fixed) return SizeDistribution({{bytes, 0}, {bytes, kWholeShare}});
  const auto& all = published_sizes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PublishedSizes& sizes) { return sizes.name == name; });
  TY_ASSERT(found != all.end(), "every choice of simulation.sizes has a table");
  return SizeDistribution(found->points);
}

}  // namespace trainyard::workload
