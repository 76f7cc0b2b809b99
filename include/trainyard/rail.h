// How large an HB domain should be: equations 1 to 3 of rail-only '23.
//
// Hybrid data and model parallelism on N GPUs in HB domains of K: groups of N_M GPUs share a model inside a
// domain, gradients are summed over the K / N_M replicas of a domain and over the N / K domains. Collectives
// are bandwidth-optimal and direct (all to all within a group); latency is left out.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// The variables of the paper's table 1.
struct RailCase {
  double gpus = 0;               // N
  double domain = 0;             // K
  double batch_tokens = 0;       // b
  double hidden = 0;             // d_model
  double layers = 0;             // l
  double collective_rounds = 0;  // M_cc
  double activation_bytes = 2;   // of an element of the batch's activations
  Bytes block;                   // S_T, gradients of a transformer block
  Flop iteration;                // M_flop
  FlopRate gpu_rate;             // C
  BytesPerSecond domain_rate;    // B_F
  BytesPerSecond network_rate;   // B_S
};

/// The four terms of equation 1.
struct RailIteration {
  double model_group = 1;  // N_M
  Seconds compute;
  Seconds across;  // first stage: gradients over the network
  Seconds inside;  // second stage: gradients inside HB domains
  Seconds model;   // model parallelism
  Seconds total() const { return compute + across + inside + model; }
};

/// Equation 1 for a model-parallel group of this size.
RailIteration iteration_time(const RailCase& rail, double model_group);

/// Equation 3: the same GPUs on one network of the HB domain's rate.
Seconds ideal_iteration_time(const RailCase& rail, double model_group);

/// Equation 2 as printed: sqrt(N S_T) / (2 sqrt(b M_cc d)).
double printed_model_group(const RailCase& rail);

/// Where the derivative of equation 1 vanishes: sqrt(2 N S_T / (M_cc b d)).
double stationary_model_group(const RailCase& rail);

/// Equation 1 at the best divisor of K.
RailIteration best_iteration(const RailCase& rail);

/// Equation 3 at the best divisor of N.
Seconds best_ideal_iteration(const RailCase& rail);

/// One point of Figs 7 and 8.
struct RailPoint {
  double gpus = 0;
  double domain = 0;
  double batch_tokens = 0;
  RailIteration iteration;
  Seconds ideal;
  double relative_performance() const { return ideal / iteration.total(); }
};

/// The analysis of a scenario.
struct RailAnalysis {
  RailCase rail;
  RailIteration best;
  Seconds ideal;
  double printed_group = 0;
  double stationary_group = 0;
  double bandwidth_ratio = 0;        // B_F / B_S
  double tokens = 0;                 // of the training run
  Seconds days_to_train;             // at perfect utilization
  std::vector<RailPoint> by_domain;  // K of rail.domain_sizes for each N of rail.clusters (Fig. 7)
  std::vector<RailPoint> by_batch;   // rail.batches for each K from the case's own on (Fig. 8)
};

/// The case that a scenario describes: [rail] where it says, else the plan's facility, networks and model.
RailCase rail_case(const Scenario& scenario);

RailAnalysis analyse_rail(const Scenario& scenario);

}  // namespace trainyard
