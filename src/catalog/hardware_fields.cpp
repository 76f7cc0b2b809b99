#include <fmt/core.h>

#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "catalog/entry_fields.h"

namespace trainyard {

bool Codec<PeakRates>::read(PeakRates& out, const Value& value, const std::string& key, const Range& range,
                            Findings& findings) {
  const Table* table = value.as<Table>();
  if (!table) {
    wrong_type(value, key, "a table of rates by precision", findings);
    return false;
  }
  for (const Member& member : table->members) {
    const std::string path = key + "." + member.key;
    std::optional<FlopRate>* slot = nullptr;
    for (const Choice<Precision>& choice : Choices<Precision>::kAll) {
      if (choice.name == member.key) slot = &out.by_precision[static_cast<std::size_t>(choice.value)];
    }
    if (!slot) {
      unknown_key(member, path, choice_names<Precision>(), findings);
      continue;
    }
    Codec<std::optional<FlopRate>>::read(*slot, member.value, path, range, findings);
  }
  return true;
}

std::string Codec<PeakRates>::text(const PeakRates& rates) {
  std::string out;
  for (const Choice<Precision>& choice : Choices<Precision>::kAll) {
    if (const auto& rate = rates.at(choice.value)) {
      out += (out.empty() ? "" : ", ") + std::string(choice.name) + " = " + Codec<FlopRate>::text(*rate);
    }
  }
  return out.empty() ? out : "{" + out + "}";
}

bool Codec<PortSplit>::read(PortSplit& out, const Value& value, const std::string& key, const Range&,
                            Findings& findings) {
  const Table* table = value.as<Table>();
  if (!table) {
    wrong_type(value, key, "a table {ports, rate}", findings);
    return false;
  }
  static const FieldTable<PortSplit> fields = {
      field("ports", &PortSplit::ports, at_least(1), "Ports of the chip in this split.").required(),
      field("rate", &PortSplit::rate, positive(), "Rate of a port, per direction.").required(),
  };
  read_fields(out, *table, fields, key, findings);
  check_required(*table, value.where(), fields, key, findings);
  return true;
}

std::string Codec<PortSplit>::text(const PortSplit& split) {
  return fmt::format("{{ports = {}, rate = {}}}", split.ports, Codec<BitRate>::text(split.rate));
}

const FieldTable<Accelerator>& accelerator_fields() {
  using A = Accelerator;
  static const FieldTable<A> table = with_entry_fields<A>({
      field("vendor", &A::vendor, "Who makes it."),
      field("year", &A::year, between(1990, 2100), "Year of first delivery or announcement."),
      field("memory", &A::memory, positive(), "Device memory.").required(),
      field("memory_rate", &A::memory_rate, positive(), "Memory bandwidth.").required(),
      field("tdp", &A::tdp, positive(), "Power limit of the device."),
      field("scale_up_rate", &A::scale_up_rate, positive(),
            "Rate of the device inside its HB domain, per direction, all links together.")
          .required(),
      field("vendor_scale_up_rate", &A::vendor_scale_up_rate, positive(),
            "The vendor's own figure for that rate."),
      field("vendor_scale_up_rate_counts", &A::vendor_scale_up_rate_counts,
            "What the vendor's figure counts."),
      field("host_rate", &A::host_rate, positive(), "Rate between device and host memory, per direction.")
          .required(),
      field("price", &A::price, positive(), "Price of one device."),
      field("matmul_efficiency", &A::matmul_efficiency, share(),
            "Share of the dense peak that large matrix products were measured to reach."),
      field("calibration", &A::calibration, "Measured constants of the calibrated compute model."),
      field("software", &A::software, "Training program that usually runs on it."),
      field("dense", &A::dense, positive(), "Peak dense matrix rates by precision.").required(),
      field("sparse", &A::sparse, positive(), "Peak matrix rates with structured sparsity."),
  });
  return table;
}

const FieldTable<Calibration>& calibration_fields() {
  using C = Calibration;
  static const FieldTable<C> table = with_entry_fields<C>({
      field("operators", &C::operators,
            "Key of the operator system whose measured times by shape (catalog operators) products and fused "
            "attention take; without it they take the shares of the peak below."),
      field(
          "fitted_with", &C::fitted_with,
          "Key of the set that runs on this accelerator take part in the fit of (`validate --fit`); an entry "
          "takes that set's constants by `based_on`."),
      field("estimated", &C::estimated,
            "Whether the entry's source is an estimate: no operator or run was measured. Entries that change "
            "it or are based on it say so again where their own source is one."),
      field(
          "measured_on", &C::measured_on,
          "Keys of the accelerators that ran what its interval was set by: others that take it have a wider "
          "one. Entries that are based on it say theirs; empty: all that take it."),
      field("attention_kernel", &C::attention_kernel, "Kernel of its fused attention; empty: the usual one."),
      field("product_time", &C::product_time, positive(),
            "Time of a 16-bit product in training over that of the measured one in a sustained load."),
      field("product_time_fp8", &C::product_time_fp8, positive(), "The same at 8 bits."),
      field("product_time_fp4", &C::product_time_fp4, positive(), "The same at 4 bits."),
      field("sustained_slowdown", &C::sustained_slowdown, at_least(0.0),
            "What a load that lasts for seconds adds to the time of 16-bit products at full use of the peak, "
            "where training runs under another power limit; 0: nothing.")
          .otherwise("operator_systems' sustained_slowdown"),
      field("attention_time", &C::attention_time, positive(),
            "Time of fused attention in training over that of the measured kernel."),
      field("attention_backward_time", &C::attention_backward_time, positive(),
            "Time of a FLOP of fused attention's backward pass over one of its forward pass."),
      field("collective_time", &C::collective_time, positive(),
            "Time of gathers and scatters inside the HB domain over those measured."),
      field("all_to_all_time", &C::all_to_all_time, positive(), "The same for all-to-alls."),
      field("processors", &C::processors, at_least(1), "Processors that run the tiles of a product in waves.")
          .required(),
      field("matmul", &C::matmul, share(), "Share of the dense 16-bit peak that an endless product reaches."),
      field("matmul_fp8", &C::matmul_fp8, share(),
            "Share of the dense 8-bit peak that an endless product reaches."),
      field("matmul_fp4", &C::matmul_fp4, share(), "Share of the dense 4-bit peak that it reaches.")
          .otherwise("matmul_fp8"),
      field("wave_share", &C::wave_share, between(0, 1),
            "Part of the tile and wave quantisation that shows."),
      field("inner_overhead", &C::inner_overhead, at_least(0),
            "Elements of the inner dimension that a tile's start and end cost."),
      field("mx_weight_gradient", &C::mx_weight_gradient, positive(),
            "Time of weight gradients in MXFP8 over that with one scale a matrix; not of grouped products."),
      field("weight_gradient", &C::weight_gradient, positive(),
            "Time of a weight-gradient product over that of a forward product."),
      field("accumulation_blend", &C::accumulation_blend, at_least(1),
            "Exponent p by which a weight gradient's product c and the traffic m of the sum that it adds to "
            "add up, (c^p + m^p)^(1/p)."),
      field("grouped_matmul", &C::grouped_matmul, positive(),
            "Time of experts' grouped products over that of a dense product."),
      field("grouped_rows", &C::grouped_rows, positive(),
            "Rows of an expert at which grouped_matmul holds; what it adds goes as one over rows."),
      field("grouped_blend", &C::grouped_blend, at_least(1),
            "Exponent p by which compute c and memory m of grouped products add up, (c^p + m^p)^(1/p)."),
      field("attention_forward", &C::attention_forward, share(),
            "Share of the peak that fused attention reaches forward, causal half counted."),
      field("attention_backward", &C::attention_backward, share(),
            "The same backward, with 2.5 times the FLOP."),
      field("attention_wave", &C::attention_wave, at_least(0),
            "Loss of fused attention whose blocks fill the device once."),
      field(
          "dropout_time", &C::dropout_time, at_least(0),
          "What a fused attention kernel takes longer for an element of the attention matrix and pass where "
          "the model has dropout: its random numbers are made forward and again backward."),
      field("softmax_bytes", &C::softmax_bytes, at_least(0),
            "Bytes of an element of an unfused attention matrix, forward."),
      field("softmax_bytes_backward", &C::softmax_bytes_backward, at_least(0),
            "Bytes of an element of an unfused attention matrix, backward."),
      field("memory", &C::memory, positive(), "Share of the memory rate that elementwise operators reach."),
      field("elementwise_backward", &C::elementwise_backward, at_least(0),
            "Backward over forward time of elementwise operators."),
      field("eager", &C::eager, at_least(1),
            "Time of elementwise kernels that nothing fused, over that of their bytes."),
      field("cast", &C::cast, at_least(0),
            "Passes over the inputs and outputs of products that casts to 8 bits take."),
      field("transposed_casts", &C::transposed_casts,
            "Products of 8 bits read both operands along the inner dimension alone, so that casts write a "
            "transposed copy for weight gradients."),
      field("routing_bytes", &C::routing_bytes, at_least(0),
            "Bytes of a token and expert for the router's scores and bookkeeping."),
      field("permutation_time", &C::permutation_time, at_least(0),
            "Time of sorting the tokens of experts and putting them back, over that of their bytes."),
      field("loss_bytes", &C::loss_bytes, at_least(0), "Bytes of a logit for loss and gradient."),
      field("optimizer_bytes", &C::optimizer_bytes, at_least(0),
            "Bytes of a parameter that the optimizer reads and writes."),
      field("scale_up", &C::scale_up, share(), "Share of the scale-up rate that collectives reach."),
      field("all_to_all", &C::all_to_all, share(), "Share of the scale-up rate that all-to-alls reach."),
      field("context_exchange", &C::context_exchange, at_least(0),
            "Passes of context parallelism over queries, keys and values."),
      field("exposed_async", &C::exposed_async, between(0, 1),
            "Share of tensor-parallel transfers that asynchronous ones leave exposed."),
      field("exposed_pieces", &C::exposed_pieces, between(0, 1),
            "The same where a scenario states that it hides what its program hides unasked: pieces that "
            "somebody tuned."),
      field("scale_out", &C::scale_out, share(), "Share of the scale-out rate that collectives reach."),
      field("wide_all_to_all", &C::wide_all_to_all, share(),
            "The same for all-to-alls, which do not pass what they send on; 0.9: DeepEP's dispatch and "
            "combine of 16 to 64 ranks, 43 to 47 of 50 GB/s (deepseek-ai/DeepEP, README)."),
      field("launch", &C::launch, at_least(0), "Launch of a kernel."),
      field("collective_latency", &C::collective_latency, at_least(0),
            "Start of a collective inside the HB domain."),
      field("layer_overhead", &C::layer_overhead, at_least(0), "The framework's time for a layer and pass."),
      field("host_operator", &C::host_operator, at_least(0),
            "Time in which the host issues an operator of a forward pass, where no graph was captured."),
      field(
          "host_collective", &C::host_collective, at_least(0),
          "Operators that a collective beside compute costs the host: it goes to a stream of its own, which "
          "waits and is waited for."),
      field("host_expert", &C::host_expert, at_least(0),
            "Time in which the host issues a product of one expert in 8 bits."),
      field("microbatch_overhead", &C::microbatch_overhead, at_least(0),
            "The framework's time for a microbatch."),
      field("step_overhead", &C::step_overhead, at_least(0), "The framework's time for a step."),
      field("interval", &C::interval, between(0, 10),
            "Half-width of the 80% interval of a step's time, in logarithms, by runs left out of the fit."),
      field(
          "interval_elsewhere", &C::interval_elsewhere, between(0, 10),
          "What adds to it, in squares, on accelerators beside those of measured_on; 0.2: by constants of "
          "TPU v4 the means of TPU v5e, v6e and TPU7x were off by +11, -18 and -4%, by those of H100 H800 by "
          "-12%."),
  });
  return table;
}

const FieldTable<Software>& software_fields() {
  using S = Software;
  constexpr double kMostLossBytes = 1000;  // of a logit; eager kernels in 32 bits move 48
  static const FieldTable<S> table = with_entry_fields<S>({
      field("interleaving", &S::interleaving, between(0, 1),
            "Share of what interleaved stages could save while filling and draining that they do save."),
      field("hides_gradients", &S::hides_gradients,
            "Gradients are summed beside the last backward pass, weights gathered beside the next forward "
            "one."),
      field("hides_tensor", &S::hides_tensor, "Tensor-parallel transfers run in pieces beside the products."),
      field("hides_pipeline", &S::hides_pipeline, "Transfers between stages run beside compute."),
      field("hides_interleaved", &S::hides_interleaved,
            "Transfers between interleaved stages run beside compute."),
      field("hides_wide_experts", &S::hides_wide_experts,
            "All-to-alls of experts that leave the HB domain run beside compute."),
      field("hides_experts", &S::hides_experts,
            "All-to-alls of experts run beside compute, inside the HB domain too."),
      field("sends_tokens_once", &S::sends_tokens_once,
            "A token goes once to each HB domain with experts of it, and inside once to each such device."),
      field("token_copy_time", &S::token_copy_time, at_least(0),
            "The least that a device needs for each copy of a token that it sends inside an HB domain, where "
            "sends_tokens_once."),
      field("graphs", &S::graphs, "Kernels are launched as captured graphs: the host leaves no gaps."),
      field(
          "graphs_experts", &S::graphs_experts,
          "Kernels of experts too, whose shapes change with the tokens: programs that pad or compile them."),
      field(
          "fuses_experts", &S::fuses_experts,
          "Grouped products of experts do the activation, biases and casts between them in the same kernel."),
      field("accumulation", &S::accumulation,
            "How weight gradients are added to those of earlier microbatches, in the narrower format of "
            "precision.gradients and gradients; where each microbatch is scattered there is nothing to add."),
      field(
          "fuses_permutation", &S::fuses_permutation,
          "One kernel sorts tokens by their experts, and one weighs them and puts them back; else PyTorch's "
          "index_select and scatter_add."),
      field("token_sorts", &S::token_sorts, positive(),
            "Time in which its unfused kernels sort tokens by expert, and put them back, over that of "
            "PyTorch's "
            "plainest ones (index_select, a product, scatter_add)."),
      field("fuses_router", &S::fuses_router,
            "The router's scores, choice of experts, maps and balancing loss are a kernel each; else "
            "PyTorch's."),
      field("drops_tokens", &S::drops_tokens,
            "Tokens beyond an expert's capacity are dropped, by a choice of each expert's best."),
      field("groups_experts", &S::groups_experts,
            "One kernel multiplies all of a device's experts: the host issues it once."),
      field("gathers_fp8", &S::gathers_fp8,
            "Weights that products take in fp8 with one scale a matrix are gathered in fp8."),
      field("fuses_biases", &S::fuses_biases,
            "Products add their biases themselves, and sum the biases' gradients where they cast."),
      field("fuses_adapters", &S::fuses_adapters,
            "The product that makes an adapter's output scales it and adds it to what it goes with; not with "
            "tensor ranks."),
      field("fuses_feed_forward", &S::fuses_feed_forward,
            "The activation between a feed-forward layer's products writes and reads their 8 bits, without "
            "casts of their own; not with tensor ranks."),
      field("fuses_norms", &S::fuses_norms, "A norm is one kernel where unfused says that others are not."),
      field("fuses_squared_relu", &S::fuses_squared_relu,
            "ReLU and its square are one kernel; else PyTorch's eager ones."),
      field("product_time", &S::product_time, between(0.1, 10),
            "Time of matrix products, but for experts' grouped ones, with the libraries of this release over "
            "the calibration's."),
      field("loss_bytes", &S::loss_bytes, between(0, kMostLossBytes),
            "Bytes of a logit that its softmax, loss and gradients move with the program's kernels.")
          .otherwise("the calibration's"),
      field("compiled_loss_bytes", &S::compiled_loss_bytes, between(0, kMostLossBytes),
            "The same where training.compiled says that a compiler fuses them.")
          .otherwise("as loss_bytes"),
      field("loss_held_bytes", &S::loss_held_bytes, between(0, kMostLossBytes),
            "Bytes of a logit that the loss holds at once, with its gradient.")
          .otherwise("as activations, the gradient in place"),
      field("compiled_loss_held_bytes", &S::compiled_loss_held_bytes, between(0, kMostLossBytes),
            "The same where training.compiled says that a compiler fuses it.")
          .otherwise("as loss_held_bytes"),
      field("gathers_logits", &S::gathers_logits,
            "Tensor ranks gather all logits, and each computes the whole loss."),
      field("biased_experts", &S::biased_experts, between(1, 10),
            "Time of grouped products of experts with biases over those without."),
      field("step_overhead", &S::step_overhead, at_least(0),
            "The program's own time for a step, beside the calibration's."),
      field(
          "overlapped_launches", &S::overlapped_launches, between(1, 10),
          "What the host needs for a layer whose experts' all-to-alls run beside compute, over the usual: it "
          "is cut into pieces, each with streams, events and a backward call of its own."),
      field("contention", &S::contention, between(0, 1),
            "Share of a hidden transfer by which it slows the compute beside it: its kernels take processors "
            "and memory rate."),
      field(
          "balances_stages", &S::balances_stages,
          "Pipeline stages get layers by parameters, the output matrix counted as the layers that it weighs, "
          "where stages are not interleaved."),
      field("low_attention", &S::low_attention,
            "Attention's kernels take 8 bits beside products of 8 or 4, where the catalog has them measured "
            "so."),
      field("low_output", &S::low_output,
            "The output matrix is multiplied in precision.compute, not in 16 bits."),
      field("unfused", &S::unfused, between(0, 1),
            "Part of the elementwise operators that nothing has fused, unless compiled."),
      field("attention_to_2020", &S::attention_to_2020, between(0.01, 1),
            "Share of the calibrated attention rate on accelerators up to 2020."),
      field("attention_from_2021", &S::attention_from_2021, between(0.01, 1),
            "Share of the calibrated attention rate on later accelerators."),
      field("context_exchange", &S::context_exchange, "How a context-parallel group shares keys and values."),
      field("ring_attention", &S::ring_attention, at_least(1),
            "Attention in a ring of c context ranks takes 1 + (ring_attention - 1) (1 - 1/c) times its "
            "pieces."),
      field("hides_context", &S::hides_context,
            "Keys and values of a ring pass beside the attention kernels, which do not wait for them."),
      field("wide_gathers", &S::wide_gathers,
            "ZeRO 3 gathers through every network interface of an HB domain, not tensor by tensor through "
            "one."),
      field("repeated_gathers", &S::repeated_gathers, "ZeRO 3 gathers and scatters for every microbatch."),
      field("copies_sequence", &S::copies_sequence,
            "Where tensor ranks divide the sequence and transfers are not cut into pieces, what was "
            "gathered, and "
            "what is scattered, is copied: sequences stand behind the batch in memory."),
      field("gathers_fp8_inputs", &S::gathers_fp8_inputs,
            "Tensor ranks gather in fp8 what they multiply in fp8 by one scale a matrix."),
      field("gather_copy_bytes", &S::gather_copy_bytes, between(0, 64),
            "Bytes of a weight that ZeRO 3 moves between kernels, at the memory rate, out of the buffer of a "
            "gather."),
      field("scatter_copy_bytes", &S::scatter_copy_bytes, between(0, 64),
            "The same of a gradient, into the buffer of a scatter."),
      field("partial_recompute", &S::partial_recompute,
            "Selective recomputation repeats most operators, not the attention matrix alone."),
      field("gradients", &S::gradients, "Gradients in memory and on the network; fp16 runs keep fp16."),
      field("gradient_exchange", &S::gradient_exchange, "Gradients on the network; fp16 runs keep fp16.")
          .otherwise("as gradients"),
      field("sums_whole_gradients", &S::sums_whole_gradients,
            "Under ZeRO 1 replicas all-reduce gradients whole, though each uses its shard alone."),
      field("weight_gradient_placeholders", &S::weight_gradient_placeholders,
            "An unused 16-bit buffer for each shape of weights, while gradients are summed in place."),
      field("buffers", &S::buffers,
            "The backward pass has its temporaries in memory, and products gathered inputs; without, a plan "
            "counts activations as Korthikanti et al. 2023 do."),
      field("cast_inputs", &S::cast_inputs,
            "Inputs of matrix products are kept for the backward pass in precision.compute where that is "
            "smaller."),
      field("keeps_gathered_weights", &S::keeps_gathered_weights,
            "ZeRO 3 gathers weights once and keeps them until the end of the step."),
      field("keeps_gathered_inputs", &S::keeps_gathered_inputs,
            "Where tensor ranks divide the sequence, inputs of products are kept as they are gathered for "
            "them, not "
            "gathered again."),
      field("keeps_gathered_ends", &S::keeps_gathered_ends,
            "ZeRO 3 keeps embedding and output matrix gathered from their first use until the end of the "
            "step."),
      field("whole_in_pipelines", &S::whole_in_pipelines,
            "With pipeline stages ZeRO 3 keeps weights gathered, and gradients whole, until the last "
            "microbatch."),
      field(
          "gradient_copy_bytes", &S::gradient_copy_bytes, between(0, 16),
          "Bytes of a parameter in the buffers through which replicas exchange gradients, beside the sums."),
      field(
          "gathers_products", &S::gathers_products,
          "ZeRO 3 gathers the weights of a product, and scatters their gradient, at a time; else a layer's."),
      field(
          "keeps_working_copy", &S::keeps_working_copy,
          "Under ZeRO 3 a device keeps its share of the weights in precision.weights beside the master copy; "
          "else the master copy is cast as it is gathered."),
      field("recomputes_inputs", &S::recomputes_inputs,
            "A product's input is computed again where what makes it is, not kept for the product's sake."),
      field("recomputes_unread", &S::recomputes_unread,
            "A layer that is computed again repeats the products whose outputs nothing in it reads, too: its "
            "last ones."),
      field("divides_hidden", &S::divides_hidden,
            "Activations of the model's width are divided over the tensor-parallel group, without sequence "
            "parallelism too."),
      field("vocabulary_multiple", &S::vocabulary_multiple, at_least(1),
            "The vocabulary is padded to a multiple of this times mapping.tensor."),
      field("workspace", &S::workspace, at_least(0), "Memory of a device that libraries hold."),
      field("tensor_parallel", &S::tensor_parallel,
            "It offers tensor parallelism; automatic choices take nothing that a program does not offer."),
      field("pipeline_parallel", &S::pipeline_parallel, "It offers pipelines."),
      field("context_parallel", &S::context_parallel, "It offers context parallelism."),
      field("sequence_parallel", &S::sequence_parallel, "It offers sequence parallelism."),
      field("selective_recompute", &S::selective_recompute, "It offers selective recomputation."),
      field("recompute_by_layer", &S::recompute_by_layer,
            "It offers recomputation of as many layers of a stage's chunk as wanted, not of all alone."),
      field("zero_stage", &S::zero_stage, between(0, 3), "The highest ZeRO stage that it offers."),
      field("interval", &S::interval, between(0, 100),
            "Factor of the accelerator's interval, by runs of the program that were left out of the fit."),
      field("slower", &S::slower, between(0, 10),
            "What adds to the interval's upper half, in squares (logarithm): how much longer than predicted "
            "runs of it took, beyond how much shorter."),
  });
  return table;
}

const FieldTable<HbDomain>& hb_domain_fields() {
  using H = HbDomain;
  static const FieldTable<H> table = with_entry_fields<H>({
      field("accelerator", &H::accelerator, "Key of the accelerator.").required(),
      field("devices", &H::devices, at_least(1), "Accelerators in one domain.").required(),
      field("racks", &H::racks, positive(), "Racks that one domain fills."),
      field("host_devices", &H::host_devices, at_least(1),
            "Accelerators of a server or tray, which is swapped and repaired as one."),
      field("price", &H::price, positive(), "Price of one domain, switches inside it included.").required(),
      field("power", &H::power, positive(), "Power of one domain under full load.").required(),
      field("nic", &H::nic, "Key of the NIC.").required(),
      field("nics_per_device", &H::nics_per_device, positive(), "NICs for each accelerator."),
      field("scale_up_switching", &H::scale_up_switching, "How the domain is wired inside."),
  });
  return table;
}

const FieldTable<Nic>& nic_fields() {
  static const FieldTable<Nic> table = with_entry_fields<Nic>({
      field("rate", &Nic::rate, positive(), "Rate of all ports together, per direction.").required(),
      field("ports", &Nic::ports, at_least(1), "Ports."),
      field("power", &Nic::power, positive(), "Power."),
      field("price", &Nic::price, positive(), "Price."),
  });
  return table;
}

const FieldTable<Switch>& switch_fields() {
  static const FieldTable<Switch> table = with_entry_fields<Switch>({
      field("capacity", &Switch::capacity, positive(), "Switching capacity, per direction.").required(),
      field("radix", &Switch::radix, "Ways to divide the chip into ports.").required(),
      field("price", &Switch::price, positive(), "Price of a switch with one such chip."),
      field("power", &Switch::power, positive(), "Power of that switch without optics."),
      field("latency", &Switch::latency, positive(), "Port-to-port latency."),
  });
  return table;
}

const FieldTable<CircuitSwitch>& circuit_switch_fields() {
  using C = CircuitSwitch;
  static const FieldTable<C> table = with_entry_fields<C>({
      field("technology", &C::technology, "What turns the light.").required(),
      field("ports", &C::ports, between(2, 1e5), "Ports, of both directions each.").required(),
      field("reconfiguration", &C::reconfiguration, at_least(0),
            "Time from a command until light passes a new circuit; other circuits stay.")
          .required(),
      field("loss_db", &C::loss_db, between(0, 100), "Insertion loss in decibels, the most."),
      field("price", &C::price, positive(), "Price of a switch."),
      field("power", &C::power, at_least(0), "Power of that switch."),
  });
  return table;
}

const FieldTable<LinkProduct>& link_fields() {
  using L = LinkProduct;
  static const FieldTable<L> table = with_entry_fields<L>({
      field("kind", &L::kind, "What it is.").required(),
      field("rate", &L::rate, positive(), "Rate, per direction.").required(),
      field("reach", &L::reach, positive(), "Longest distance.").required(),
      field("price", &L::price, positive(), "Price."),
      field("price_is", &L::price_is, "What price and power are counted for."),
      field("power", &L::power, at_least(0), "Power."),
  });
  return table;
}

const FieldTable<PriceModel>& price_fields() {
  using P = PriceModel;
  static const FieldTable<P> table = with_entry_fields<P>({
      field("transceiver", &P::transceiver, positive(), "Price of one transceiver."),
      field("transceiver_rate", &P::transceiver_rate, positive(), "The rate that this price is for."),
      field("switch_port", &P::switch_port, positive(), "Price of one switch port."),
      field("switch_port_rate", &P::switch_port_rate, positive(), "The rate that this price is for."),
      field("electricity", &P::electricity, positive(), "Price of electricity."),
      field("electricity_region", &P::electricity_region, "Where that price is paid."),
      field("rack", &P::rack, positive(), "Price of one rack."),
      field("depreciation", &P::depreciation, positive(), "Time over which the equipment is written off."),
  });
  return table;
}

}  // namespace trainyard
