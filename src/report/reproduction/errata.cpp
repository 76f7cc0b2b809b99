#include "trainyard/reproduction.h"

namespace trainyard {
namespace {

const std::vector<Erratum>& all_errata() {
  static const std::vector<Erratum> table = {
      {"hotnets24", "a sequence of 32k tokens",
       "32,000: 32,768 gives 222 MB, not 217 MB, for a pipeline chunk (model dense-100t, sequence)"},
      {"hotnets24", "dense FP4, 10 PFLOP/s a GPU (section 2)",
       "the layer times of sections 4 and 5 need 20 PFLOP/s, the sparse rate (assumptions.peak); at the "
       "dense rate every compute time doubles and exposed shares fall"},
      {"hotnets24", "NVLink at 1.8 TB/s",
       "taken as the rate of each direction; it is the sum of both (assumptions.scale_up_counts): at 900 "
       "GB/s each way the scale-up times double"},
      {"hotnets24", "selective recomputation adds 0.97% of computation",
       "0.71% of a step by the cited formula; the paper counts it in the forward pass, twice the attention "
       "matrix (assumptions.attention_recompute)"},
      {"hotnets24", "stages 1 and 2 are all-reduces, stages 4 and 5 all-gathers",
       "reduce-scatters in stages 1 and 2 give the same sums in half their time "
       "(assumptions.gradient_exchange); the default takes the better one"},
      {"hotnets24", "all five stages overlap (section 6)",
       "stages 2 and 4 share the scale-out network, 1 and 5 the scale-up network: they take turns "
       "(assumptions.stage_overlap). 98.27 + 49.14 ms then, against 264 ms of backward pass: still hidden; "
       "for the MoE model 168 ms against 90"},
      {"hotnets24", "MoE stage 4 takes 66.1 ms", "half of stage 2 is 56.1 ms: a misprint"},
      {"hotnets24", "exposed shares of 5% and 20%",
       "(2 TP + 2 PP + what the slowest stage exceeds the backward pass by) over that and the compute: 4.9% "
       "and 18.7%, in steady state and with a gradient exchange every microbatch (assumptions.step_rule)"},
      {"hotnets24", "about 300 MB per iteration between datacenters",
       "57 MB a device by section 4.1; 300 MB is derived nowhere"},
      {"hotnets24", "256 heads over 18 devices",
       "does not divide: 15 heads on some, 14 on others (assumptions.uneven_shards)"},
      {"railonly23", "N_M* = sqrt(N S_T) / (2 sqrt(b M_cc d)) (equation 2)",
       "the derivative of equation 1 vanishes at sqrt(2 N S_T / (M_cc b d)), 2.8 times as large; `trainyard "
       "rail` shows both and the best whole number"},
      {"railonly23", "speed-ups of Fig. 5 and relative performance of Fig. 8b",
       "the sparse peak of 1,979 TFLOP/s gives them; the dense peak gives the 117 days of section 2.1"},
      {"railonly23", "N_Df and N_Ds in table 1 against equation 1",
       "K = N_M N_Df in the table, but equation 1 sends the N_Df term over the slow network: there N_Df = N "
       "/ K"},
  };
  return table;
}

}  // namespace

std::vector<Erratum> errata(const std::string& paper) {
  std::vector<Erratum> out;
  for (const Erratum& erratum : all_errata()) {
    if (paper == "all" || erratum.source == paper) out.push_back(erratum);
  }
  return out;
}

}  // namespace trainyard
