#include "base/distinct.h"
#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "scenario/choices/assumptions.h"
#include "scenario/choices/mapping.h"
#include "scenario/choices/step.h"
#include "scenario/choices/training.h"
#include "scenario/in_force.h"
#include "scenario/sections.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/scenario/facility.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/step.h"
#include "trainyard/scenario/sweeps.h"
#include "trainyard/scenario/training.h"

namespace trainyard {

const FieldTable<FacilityInput>& facility_fields() {
  using F = FacilityInput;
  static const FieldTable<F> table = {
      field("budget", &F::budget, positive(),
            "Money for the whole datacenter. One of budget, power_limit, devices."),
      field("power_limit", &F::power_limit, positive(),
            "Facility power that may be drawn at the higher PUE."),
      field("devices", &F::devices, between(1, 1e9), "Accelerators, rounded up to whole HB domains."),
      field("hb_domain", &F::hb_domain, "Catalog key of the HB domain that is bought.").required(),
      field("domain_price", &F::domain_price, positive(), "Price of one HB domain.")
          .otherwise("the catalog's"),
      field("domain_power", &F::domain_power, positive(), "Full-load power of one HB domain.")
          .otherwise("the catalog's"),
      field("compute_share", &F::compute_share, share(), "Share of the budget that buys HB domains.")
          .from("HotNets '24 section 2, after BofA's market split"),
      field("network_share", &F::network_share, between(0, 1), "Share of the budget for the network.")
          .from("HotNets '24 section 6.1"),
      field("overhead_power_share", &F::overhead_power_share, between(0, 10),
            "Power of storage and network, as a share of the HB domains' power.")
          .from("HotNets '24 section 2"),
      field("pue_low", &F::pue_low, between(1, 5), "Lower power usage effectiveness.")
          .from("HotNets '24 section 2, Microsoft's reports"),
      field("pue_high", &F::pue_high, between(1, 5), "Higher power usage effectiveness.")
          .from("HotNets '24 section 2, Microsoft's reports"),
      field("datacenters", &F::datacenters, between(1, 1000),
            "Sites over which the domains are divided evenly."),
      field("prices", &F::prices, "Catalog key of the price model."),
      field("electricity_price", &F::electricity_price, positive(), "Price of electricity.")
          .otherwise("that of the price model"),
      field("load", &F::load, share(), "Mean power over full-load power during training."),
      field("depreciation", &F::depreciation, positive(), "Time over which the equipment is written off.")
          .otherwise("that of the price model, else 4 years"),
  };
  return table;
}

const FieldTable<TrainingInput>& training_fields() {
  using T = TrainingInput;
  static const FieldTable<T> table = {
      field("software", &T::software, "Catalog key of the training program.")
          .otherwise("the accelerator's usual one"),
      field("compiled", &T::compiled, "A compiler fuses the elementwise operators."),
      distinct_field("hides", &T::hides, "What runs beside compute beyond the software's habits.")
          .otherwise("nothing"),
      field("hides_wholly", &T::hides_wholly, "Nothing of what hides names is left exposed."),
      distinct_field("exposes", &T::exposes, "What does not run beside compute although the software can.")
          .otherwise("nothing"),
      field("graphs", &T::graphs,
            "Kernels are launched as captured graphs; unless stated, those of layers with experts only where "
            "the software captures experts.")
          .otherwise("as the software does"),
      field("blocking_launches", &T::blocking_launches,
            "The host waits for every kernel before it issues the next (CUDA_LAUNCH_BLOCKING=1): what it "
            "needs to issue them adds to their time."),
      field("context_exchange", &T::context_exchange,
            "How ranks of context parallelism share keys and values.")
          .otherwise("as the software does"),
      field("low_attention", &T::low_attention,
            "Attention's kernels take 8 bits, not 16, beside products of 8 or 4, where the catalog has them "
            "measured so.")
          .otherwise("as the software does"),
      field("low_output", &T::low_output,
            "The output matrix is multiplied in precision.compute, not in 16 bits.")
          .otherwise("as the software does"),
      field("adapter_rank", &T::adapter_rank, between(1, 65536),
            "Rank of low-rank adapters that are trained while the model's own weights are frozen.")
          .otherwise("every weight is trained"),
      field("expert_imbalance", &T::expert_imbalance, at_least(1),
            "Copies of tokens that the fullest of the devices that share one set of experts gets in a layer, "
            "over "
            "their mean, as far as its experts can get so many; all others wait for it. 1: balanced."),
      field("law", &T::law, "Scaling law that sizes the loss-optimal model."),
      field("duration", &T::duration, positive(), "Training time that the scaling law may spend."),
      field("compute_budget", &T::compute_budget, positive(),
            "Compute for the scaling law, in place of a duration."),
      field("law_utilization", &T::law_utilization, share(),
            "Share of the peak that the scaling law reckons with.")
          .from("HotNets '24 section 3.1: full utilization"),
      field("tokens", &T::tokens, positive(), "Training tokens.")
          .otherwise("loss-optimal for the model by Hoffmann approach 2, unless the catalog knows them"),
      field("batch_tokens", &T::batch_tokens, positive(), "Tokens of one batch (one optimizer step).")
          .otherwise("mapping.microbatches, else the model's own, else four microbatches a pipeline stage"),
  };
  return table;
}

const FieldTable<ModelInput>& model_choice_fields() {
  using M = ModelInput;
  static const FieldTable<M> table = {
      field("name", &M::name, "Catalog key of the model; other keys of this section change its shape."),
      field("parameters", &M::parameters, between(1e6, 1e17),
            "Parameter count from which depth and width follow (Levine et al.), in place of a name, "
            "layers and hidden."),
  };
  return table;
}

const FieldTable<MappingInput>& mapping_fields() {
  using M = MappingInput;
  const Range group = between(1, 1e7);
  static const FieldTable<M> table = {
      field("tensor", &M::tensor, group, "Devices of a tensor-parallel group.").otherwise("chosen"),
      field("pipeline", &M::pipeline, group,
            "Pipeline stages; where they do not divide the layers, the first hold one more.")
          .otherwise("chosen"),
      field("data", &M::data, group, "Data-parallel replicas.")
          .otherwise("all that the devices and the batch allow"),
      field("context", &M::context, group, "Devices that share one sequence (context parallelism).")
          .or_auto(&M::open, &MappingOpen::context),
      field("expert", &M::expert, group,
            "Parts into which a set of experts is dealt (expert parallelism), each on expert_tensor devices: "
            "whole replicas, where that is tensor, or their context ranks where times are calibrated.")
          .or_auto(&M::open, &MappingOpen::expert),
      field("expert_tensor", &M::expert_tensor, group,
            "Tensor ranks over which an expert is cut, a divisor of tensor; 1: whole experts, dealt over "
            "tensor and context ranks and replicas alike. expert x expert_tensor divides tensor or is a "
            "multiple of it.")
          .otherwise("as tensor; chosen with expert, where times are calibrated"),
      field("virtual_stages", &M::virtual_stages, between(1, 10000),
            "Chunks of layers on each pipeline stage (interleaved schedule).")
          .or_auto(&M::open, &MappingOpen::virtual_stages),
      field(
          "last_stage_layers", &M::last_stage_layers, between(1, 10000),
          "Layers of the last pipeline stage, which has the output matrix besides; the others share the rest "
          "(Megatron Core's decoder-last-pipeline-num-layers). At most layers / pipeline.")
          .otherwise("as the others; fewer where the program balances its stages"),
      field("microbatch", &M::microbatch, between(1, 1e6), "Sequences of one microbatch.")
          .or_auto(&M::open, &MappingOpen::microbatch),
      field("microbatches", &M::microbatches, between(1, 1e8), "Microbatches of a batch on each replica.")
          .otherwise("from training.batch_tokens"),
      field("zero_stage", &M::zero_stage, between(0, 3),
            "ZeRO: 1 shards optimizer states over replicas, 2 gradients too, 3 weights too.")
          .or_auto(&M::open, &MappingOpen::zero_stage),
      field("zero_group", &M::zero_group, group,
            "Replicas over which ZeRO divides; the groups hold copies of each other and sum their shards "
            "(hybrid sharding).")
          .otherwise("all"),
      field("sequence_parallel", &M::sequence_parallel,
            "Norms and dropout are divided over the tensor-parallel group."),
      field("recompute", &M::recompute, "What the backward pass computes again.")
          .or_auto(&M::open, &MappingOpen::recompute),
      field("recompute_layers", &M::recompute_layers, between(0, 1e6),
            "Layers of the model that recompute, of all stages together.")
          .otherwise("all"),
      distinct_field("recompute_modules", &M::recompute_modules,
                     "Parts of each layer that the backward pass computes again, with recompute = \"none\".")
          .otherwise("none"),
      field("attention", &M::attention, "Attention kernel."),
      field("offload_activations", &M::offload_activations,
            "Activations of waiting microbatches go to host memory."),
      field("offload_layers", &M::offload_layers, between(0, 1e6),
            "Layers of the model, of all stages together, whose activations go to host memory beside each "
            "forward pass and come back beside the backward one.")
          .otherwise("none"),
      field("placement", &M::placement, "What one HB domain holds."),
      field("goal", &M::goal, "How counts that are not given are chosen."),
  };
  return table;
}

const FieldTable<PrecisionInput>& precision_fields() {
  using P = PrecisionInput;
  static const FieldTable<P> table = {
      field("compute", &P::compute, "Matrix products; picks the peak rate."),
      field("scaling", &P::scaling, "What shares a scale in products of fp8."),
      field("weights", &P::weights, "Working copy of the weights."),
      field("master_copy", &P::master_copy,
            "Whether a master copy of the weights is kept beside the working copy."),
      field("master", &P::master, "Master copy of the weights."),
      field("gradients", &P::gradients, "Gradients in memory."),
      field("optimizer", &P::optimizer, "Each optimizer state."),
      field("optimizer_states", &P::optimizer_states, between(0, 8),
            "Optimizer states a parameter (Adam: 2)."),
      field("activations", &P::activations, "Activations in memory."),
      field("communication", &P::communication, "Activations on the network."),
      field("gradient_exchange", &P::gradient_exchange, "Gradients on the network.")
          .otherwise("the training program's where times are calibrated, else bf16"),
      field("combine", &P::combine, "What experts send back to their tokens, on the network.")
          .otherwise("as communication"),
      field("activation_input", &P::activation_input,
            "Inputs of activation functions as they are kept for the backward pass.")
          .otherwise("as activations"),
  };
  return table;
}

const FieldTable<MeasurementInput>& measurement_fields() {
  using M = MeasurementInput;
  static const FieldTable<M> table = {
      field("id", &M::id, "Name of the run in `trainyard validate`.").otherwise("the title"),
      field("source", &M::source, "Where the numbers come from."),
      field("step_time", &M::step_time, positive(), "Time of a training step.").otherwise("predicted alone"),
      field("memory", &M::memory, positive(), "Peak memory of a device.").otherwise("not measured"),
      field("left_out", &M::left_out, "Why errors and fits leave the run out; empty: they do not."),
      field("from_memory", &M::from_memory,
            "Whether the numbers are quoted from memory; they take no part in fits."),
      field("confidence", &M::confidence, "How sure the numbers are."),
  };
  return table;
}

const FieldTable<NetworkInput>& network_fields() {
  using N = NetworkInput;
  static const FieldTable<N> table = {
      field("scale_up_rate", &N::scale_up_rate, positive(),
            "Rate of a device inside its HB domain, one direction.")
          .otherwise("the catalog's, as assumptions.scale_up_counts says"),
      field("scale_out_rate", &N::scale_out_rate, positive(), "Rate of a device's NICs, one direction.")
          .otherwise("the catalog's"),
      field("wide_area_rate", &N::wide_area_rate, positive(),
            "Rate between datacenters for each device, one direction.")
          .from("HotNets '24 Fig. 3c"),
      field("wide_area_rtt", &N::wide_area_rtt, at_least(0), "Round-trip time between datacenters.")
          .from("HotNets '24 section 4.1"),
      field("tail_loss_rtts", &N::tail_loss_rtts, between(0, 1000),
            "Round-trip times that tail loss adds to a wide-area transfer.")
          .from("HotNets '24 Fig. 3c: one"),
      field("scale_up_efficiency", &N::scale_up_efficiency, share(),
            "Share of the scale-up rate that collectives reach."),
      field("scale_out_efficiency", &N::scale_out_efficiency, share(),
            "Share of the scale-out rate that collectives reach."),
      field("pipeline_share", &N::pipeline_share, share(),
            "Share of the scale-out rate that the topology leaves to pipeline transfers."),
      field("gradient_share", &N::gradient_share, share(),
            "Share of the scale-out rate that the topology leaves to gradient exchanges."),
      field("expert_share", &N::expert_share, share(),
            "Share of the scale-out rate that the topology leaves to expert all-to-alls."),
      field("weights_share", &N::weights_share, share(),
            "Share of the scale-out rate that the topology leaves to gathers of weights (ZeRO 3)."),
      field("expert_forwarded", &N::expert_forwarded, between(0, 1),
            "Part of the experts' traffic between HB domains that is first forwarded inside one, to the rail "
            "of "
            "its receiver; (K-1)/K of domains of K on rail-only networks."),
      field("scale_up_latency", &N::scale_up_latency, at_least(0),
            "Delay of every step of a collective, and of every transfer, inside an HB domain.")
          .from("HotNets '24 section 4.1 and rail-only '23 equation 1: none"),
      field("scale_out_latency", &N::scale_out_latency, at_least(0), "The same between HB domains.")
          .from("the same"),
      field("host_rate", &N::host_rate, positive(), "Rate between device and host memory, one direction.")
          .otherwise("the catalog's"),
  };
  return table;
}

const FieldTable<AssumptionsInput>& assumption_fields() {
  using A = AssumptionsInput;
  static const FieldTable<A> table = {
      field("peak", &A::peak, "Which peak rate layer times use."),
      field("scale_up_counts", &A::scale_up_counts, "How the catalog's scale-up rate is taken."),
      field("compute_model", &A::compute_model, "How operator times follow from FLOP and bytes."),
      field("matmul_efficiency", &A::matmul_efficiency, share(),
            "Share of the peak that matrix products reach.")
          .otherwise("the accelerator's measured one, else 0.7"),
      field("memory_efficiency", &A::memory_efficiency, share(),
            "Share of the memory rate that other operators reach."),
      field("attention_recompute", &A::attention_recompute, "Where selective recomputation is counted."),
      field("causal_attention", &A::causal_attention, "How much of the attention matrix is computed."),
      field("embedding_placement", &A::embedding_placement, "Where embedding and output matrix are held."),
      field("uneven_shards", &A::uneven_shards,
            "What happens when heads do not divide by the group, or replicas over datacenters."),
      field("step_rule", &A::step_rule, "How a step's time is put together."),
      field("stage_overlap", &A::stage_overlap, "How the stages of the gradient exchange overlap."),
      field("gradient_exchange", &A::gradient_exchange, "How gradients are summed over the replicas."),
      field("all_reduce", &A::all_reduce, "Algorithm of tensor parallelism's all-reduces."),
      field("exchange_in_domain", &A::exchange_in_domain,
            "Algorithm inside HB domains of gradient exchanges and gathers of weights."),
      field("exchange_between_domains", &A::exchange_between_domains,
            "The same between HB domains of a datacenter; of a flat exchange over all replicas."),
      field("all_to_all", &A::all_to_all, "Algorithm of the experts' all-to-alls."),
  };
  return table;
}

const FieldTable<RailInput>& rail_fields() {
  using R = RailInput;
  static const FieldTable<R> table = {
      field("gpus", &R::gpus, between(2, 1e9), "GPUs of the cluster (N).").otherwise("the plan's devices"),
      field("domain_size", &R::domain_size, between(1, 1e9), "GPUs of an HB domain (K).")
          .otherwise("the catalog's"),
      field("batch_tokens", &R::batch_tokens, positive(), "Tokens of a batch (b).")
          .otherwise("training.batch_tokens"),
      field("collective_rounds", &R::collective_rounds, between(1e-3, 1e6),
            "Collectives of model parallelism for each block and iteration (M_cc).")
          .otherwise("8; rail-only '23 Table 1: 8 for GPT3 and OPT, 12 for PaLM"),
      field("block_parameters", &R::block_parameters, positive(), "Parameters of one transformer block.")
          .otherwise("counted from the shape"),
      distinct_field("domain_sizes", &R::domain_sizes, between(1, 1e9),
                     "HB-domain sizes to compare (Fig. 7)."),
      distinct_field("clusters", &R::clusters, between(2, 1e9), "Cluster sizes to compare (Fig. 7)."),
      distinct_field("batches", &R::batches, positive(), "Batch sizes to compare, in tokens (Fig. 8)."),
  };
  return table;
}

const FieldTable<StepInput>& step_fields() {
  using S = StepInput;
  static const FieldTable<S> table = {
      field("schedule", &S::schedule, "Pipeline schedule.")
          .otherwise("1f1b; interleaved where mapping.virtual_stages is above 1"),
      field("tensor_overlap", &S::tensor_overlap, between(0, 1),
            "Share of tensor-parallel transfers that run beside the compute of their pass.")
          .otherwise("what the training program hides, where times are calibrated; else 0"),
      field("gradient_overlap", &S::gradient_overlap, "What the gradient exchange hides behind.")
          .otherwise("bucketed; beside_pass where assumptions.step_rule is steady_state"),
      field("exchange_every", &S::exchange_every, "How often gradients are exchanged.")
          .otherwise("batch; microbatch where assumptions.step_rule is steady_state"),
      field("gradient_bucket", &S::gradient_bucket, between(1, 1e15),
            "Gradients of a device that pass through the stages of the exchange together: a part of a layer, "
            "or "
            "whole layers.")
          .otherwise("an eighth of a layer"),
      field("embedding_exchange", &S::embedding_exchange,
            "Whether the first and the last stage add up the gradients of an embedding that both hold a copy "
            "of, "
            "after their exchange.")
          .otherwise("true where model.tied_embeddings and assumptions.embedding_placement is ends")
          .from("Megatron-LM, core/distributed/finalize_model_grads.py"),
      field("gradient_norm", &S::gradient_norm,
            "Whether the optimizers of all stages wait for the norm of all gradients, by which they are "
            "clipped.")
          .otherwise("true; false where assumptions.step_rule is steady_state")
          .from("Megatron-LM, core/optimizer/clip_grads.py; --clip-grad is 1.0 by default"),
      field("prefetch", &S::prefetch, between(0, 1000),
            "Passes of a layer that the gather of weights (ZeRO 3) runs ahead."),
      field("jitter", &S::jitter, between(0, 2),
            "Coefficient of variation of compute times on each device, log-normal; a tensor-parallel group "
            "waits for its slowest."),
      field("replicas", &S::replicas, between(1, 1024),
            "Replicas with a jitter of their own, which meet in the gradient exchange."),
      field("seed", &S::seed, between(0, 9e15), "Seed of the jitter."),
      field("steps", &S::steps, between(1, 1000), "Steps that are simulated, one after another."),
  };
  return table;
}

const FieldTable<StragglerInput>& straggler_fields() {
  using S = StragglerInput;
  static const FieldTable<S> table = {
      field("stage", &S::stage, between(0, 1e7), "Pipeline stage, counted from 0.").required(),
      field("slowdown", &S::slowdown, between(1, 1e6), "Its compute time over that of the others.")
          .required(),
      field("replicas", &S::replicas, between(1, 1e7), "Replicas in which it is so."),
  };
  return table;
}

const FieldTable<StepFailureInput>& step_failure_fields() {
  using F = StepFailureInput;
  static const FieldTable<F> table = {
      field("stage", &F::stage, between(0, 1e7),
            "Pipeline stage of the device, counted from 0. Losses of one stage and replica at the same time "
            "add up.")
          .required(),
      field("what", &F::what, "What of it fails.").required(),
      field("lost", &F::lost, share(),
            "Share of the device's rate on that network: 0.25 for one of four planes.")
          .otherwise("all of it"),
      field("replica", &F::replica, between(0, 1e7),
            "Replica of the device, counted from 0; stragglers are in the last ones."),
      field("replicas", &F::replicas, between(1, 1e7), "Replicas in which it fails, from that one on."),
      field("from", &F::from, between(0, 1e6), "When it fails, from the beginning of the first step."),
      field("until", &F::until, between(1e-12, 1e6), "When it is back.").otherwise("never"),
  };
  return table;
}

}  // namespace trainyard
