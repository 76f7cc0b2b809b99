// The tables of [simulation], [[failure]] and the transports' own sections.
#include "scenario/choices.h"
#include "scenario/scenario.h"

namespace trainyard {

const FieldTable<SimulationInput>& simulation_fields() {
  using S = SimulationInput;
  static const FieldTable<S> table = {
      field("design", &S::design, "Name of the [[design]] whose network is simulated.")
          .otherwise("the first"),
      field(
          "traffic", &S::traffic,
          "A named traffic of `trainyard network --traffic`, all flows at once; or poisson, ring_all_reduce, "
          "ring_all_gather, ring_reduce_scatter, halving_doubling, hierarchical_all_reduce with `group`, "
          "all_to_all_windowed, pipeline with `chunks`."),
      field("bytes", &S::bytes, between(1, 1e15),
            "Bytes that a host sends; of a collective, its buffer; of poisson, of a flow of fixed size.")
          .from("HotNets '24 Fig. 6"),
      field("active", &S::active, share(), "Share of the hosts that take part.").from("HotNets '24 Fig. 6"),
      field("load", &S::load, share(), "Payload of poisson flows as a share of the hosts' link rate.")
          .otherwise("none: poisson needs it"),
      field("flows", &S::flows, between(1, 2e7), "Number of poisson flows.").otherwise("as `duration` says"),
      field("duration", &S::duration, positive(), "Time for which poisson flows arrive.")
          .otherwise("as `flows` says"),
      field("sizes", &S::sizes, "Sizes of poisson flows.").otherwise("fixed"),
      field(
          "chunks", &S::chunks, between(1, 1e6),
          "Pieces of a collective's buffer that go through its steps one behind the other; microbatches of a "
          "pipeline.")
          .otherwise("1"),
      field("group", &S::group, between(1, 1e6),
            "Hosts of a group of hierarchical_all_reduce; flows of a host at a time of all_to_all_windowed.")
          .otherwise("1"),
      field("seed", &S::seed, between(0, 9e15), "Seed of the traffic and of the paths."),
      field("transport", &S::transport, "Transport protocol."),
      field("load_balancing", &S::load_balancing, "Which path a packet takes.")
          .otherwise("what suits the transport"),
      field("entropies", &S::entropies, between(1, 65535),
            "Numbers that the packets of a sprayed flow carry in turn and that switches hash to paths, so "
            "that a "
            "flow loads its paths unevenly.")
          .otherwise("every path once a round")
          .silent_when_absent(),
      field("packet", &S::packet, between(256, 65535), "Payload of a full data packet."),
      field("header", &S::header, between(0, 1024), "Bytes on the wire on top of a data packet's payload."),
      field("control_packet", &S::control_packet, between(16, 1024),
            "Size of acknowledgements, pulls and headers whose payload was cut off."),
      field("window", &S::window, between(1, 1e6), "Packets that a flow sends before it hears anything."),
      field("queue", &S::queue, between(1, 1e6), "Data packets that may wait at a port."),
      field("control_queue", &S::control_queue, between(1, 1e6),
            "Headers and control packets that may wait at a port.")
          .otherwise("twice the bytes of the data queue, as htsim's composite queues"),
      field("trim", &S::trim, "Switches cut payloads off in place of dropping packets.")
          .otherwise("what suits the transport"),
      field("mark_from", &S::mark_from, between(0, 1e6),
            "Queue in packets from which on switches mark congestion, ever more often.")
          .otherwise("what suits the transport"),
      field("mark_all", &S::mark_all, between(0, 1e6),
            "Queue in packets from which on every packet is marked; 0: none.")
          .otherwise("what suits the transport"),
      field("mark_leaving", &S::mark_leaving,
            "Mark by the queue that a packet leaves behind, not by the one it finds.")
          .otherwise("what suits the transport"),
      field("acknowledgements_first", &S::acknowledgements_first,
            "Acknowledgements overtake data in switches, as headers and pulls do.")
          .otherwise("what suits the transport"),
      field("pause", &S::pause,
            "Priority flow control (IEEE 802.1Qbb): full switches pause their neighbours.")
          .otherwise("what suits the transport"),
      field("pause_above", &S::pause_above, between(0.01, 1e6),
            "Packets from one input port above which it is paused.")
          .otherwise("15, as htsim's lossless queues"),
      field("resume_below", &S::resume_below, between(0, 1e6), "Packets below which it goes on.")
          .otherwise("12, as htsim's lossless queues"),
      field("headroom", &S::headroom, between(0, 1e12), "Room behind a pause for what is still under way.")
          .otherwise("what the links' delays need"),
      field("shared_buffer", &S::shared_buffer, between(1, 1e12), "Buffer that the ports of a switch share.")
          .otherwise("none: every port has its own queue"),
      field("shared_buffer_alpha", &S::shared_buffer_alpha, between(0.001, 1000),
            "A port's data may take this share of what is free of the buffer.")
          .from("Choudhury & Hahne 1998"),
      field("cut_through", &S::cut_through, "Switches send on when the header has arrived."),
      field("link_delay", &S::link_delay, between(1e-9, 1e-1), "Delay of every link and the port behind it."),
      field("timeout", &S::timeout, between(1e-6, 10), "Silence after which a sender repeats.")
          .otherwise("1 ms; with pauses, where nothing is dropped, 64 ms"),
      field("flowlet_gap", &S::flowlet_gap, between(1e-9, 1),
            "Pause after which a flow may take another path."),
      field("packet_loss", &S::packet_loss, between(0, 0.5),
            "Share of packets that bit errors destroy on each link."),
      field("failures_known", &S::failures_known, "Senders avoid paths over links that are down."),
      field("host_send_rate", &S::host_send_rate, between(1e6, 1e14),
            "What a host sends at most over all its planes together, headers and control packets included.")
          .otherwise("none: its links limit it")
          .silent_when_absent(),
      field("host_receive_rate", &S::host_receive_rate, between(1e6, 1e14),
            "What a host takes in at most; more waits at its NIC, in a queue like that of a switch's port.")
          .otherwise("none: its links limit it")
          .silent_when_absent(),
      field("pcie_rate", &S::pcie_rate, between(1e6, 1e14),
            "Rate of the bus between NIC and memory, each way, shared by all planes.")
          .otherwise("none: no bus")
          .silent_when_absent(),
      field("pcie_latency", &S::pcie_latency, between(0, 1e-3),
            "Time of the bus on top of the packet's own, each way; needs pcie_rate.")
          .otherwise("0")
          .silent_when_absent(),
  };
  return table;
}

const FieldTable<FailureInput>& failure_fields() {
  using F = FailureInput;
  static const FieldTable<F> table = {
      field("node", &F::node, "\"leaf 3\", \"aggregation 0\", \"spine 1\" or \"host 7\".").required(),
      field("uplink", &F::uplink, between(0, 65535), "The one of its links up that fails.")
          .otherwise("every link of the node"),
      field("plane", &F::plane, between(0, 65535), "Of which plane."),
      field("from", &F::from, between(0, 1e6), "When it goes down."),
      field("until", &F::until, between(1e-12, 1e6), "When it is up again.").otherwise("never"),
  };
  return table;
}

const FieldTable<NdpInput>& ndp_fields() {
  using N = NdpInput;
  static const FieldTable<N> table = {
      field("pull_rate", &N::pull_rate, between(0.1, 1),
            "Pulls as a share of what the receiver's link takes.")
          .from("Handley et al. 2017, section 3.2"),
  };
  return table;
}

const FieldTable<EqdsInput>& eqds_fields() {
  using E = EqdsInput;
  static const FieldTable<E> table = {
      field("credit_rate", &E::credit_rate, between(0.1, 1),
            "Credits as a share of what the receiver's link takes.")
          .from("htsim (EQDS pull pacer)"),
      field("credits_per_pull", &E::credits_per_pull, between(1, 64), "Packets that one pull allows.")
          .from("htsim (8 quanta of 512 B)"),
  };
  return table;
}

const FieldTable<RcccInput>& rccc_fields() {
  using R = RcccInput;
  static const FieldTable<R> table = {
      field("credit_rate", &R::credit_rate, between(0.1, 1),
            "Credits as a share of what the receiver's link takes.")
          .from("uet-htsim"),
      field("credits_per_pull", &R::credits_per_pull, between(1, 64), "Packets that one pull allows.")
          .from("uet-htsim (64 quanta of 256 B)"),
  };
  return table;
}

const FieldTable<HomaInput>& homa_fields() {
  using H = HomaInput;
  static const FieldTable<H> table = {
      field("unscheduled", &H::unscheduled, between(1, 1e12),
            "Bytes that a flow sends before the first grant.")
          .otherwise("a round trip at line rate (RTTbytes of Montazeri et al. 2018, section 3.2)"),
      field("overcommitment", &H::overcommitment, between(1, 64),
            "Senders that a receiver grants to at a time.")
          .from("Montazeri et al. 2018, section 3.5: one for each scheduled priority"),
      field("unscheduled_priorities", &H::unscheduled_priorities, between(1, 7),
            "Of the 8 priorities, those of unscheduled packets; shorter flows take the higher.")
          .from("Montazeri et al. 2018, section 3.4"),
      field("grant_window", &H::grant_window, between(0.1, 100), "Granted bytes outstanding, in round trips.")
          .from("Montazeri et al. 2018, section 3.3"),
  };
  return table;
}

const FieldTable<DctcpInput>& dctcp_fields() {
  using D = DctcpInput;
  static const FieldTable<D> table = {
      field("gain", &D::gain, share(), "Weight of a new share of marks (g).")
          .from("Alizadeh et al. 2010, section 3.3"),
      field("initial_share", &D::initial_share, between(0, 1), "Share of marks that a flow begins with.")
          .from("RFC 8257, section 4.2"),
      field("slow_start_packets", &D::slow_start_packets, at_least(1),
            "Window at which slow start ends, if no mark ends it before.")
          .from("RFC 5681, section 3.1: as high as can be"),
  };
  return table;
}

const FieldTable<SwiftInput>& swift_fields() {
  using S = SwiftInput;
  static const FieldTable<S> table = {
      field("base_target", &S::base_target, positive(), "Target of the round trip but for hops and flows.")
          .from("htsim; Kumar et al. 2020 give no value"),
      field("hop_target", &S::hop_target, at_least(0), "Added for each switch on the way.").from("htsim"),
      field("flow_range", &S::flow_range, at_least(0), "Most that is added for small windows (fs_range).")
          .from("htsim: 5 base targets; Kumar et al. 2020, section 3.3"),
      field("flow_window_low", &S::flow_window_low, positive(),
            "Window in packets with the whole range (fs_min_cwnd).")
          .from("Kumar et al. 2020, section 3.3"),
      field("flow_window_high", &S::flow_window_high, positive(),
            "Window in packets with none (fs_max_cwnd).")
          .from("Kumar et al. 2020, section 3.3"),
      field("increase", &S::increase, positive(), "Packets added in a round trip (ai).")
          .from("Kumar et al. 2020, algorithm 1"),
      field("beta", &S::beta, share(), "Decrease for a share of delay above the target.")
          .from("Kumar et al. 2020, algorithm 1"),
      field("largest_decrease", &S::largest_decrease, share(), "Most that a window loses at once (max_mdf).")
          .from("Kumar et al. 2020, algorithm 1"),
  };
  return table;
}

const FieldTable<HpccInput>& hpcc_fields() {
  using H = HpccInput;
  static const FieldTable<H> table = {
      field("utilization", &H::utilization, share(), "Target use of links (eta).")
          .from("Li et al. 2019, section 5.1"),
      field("stages", &H::stages, between(0, 1000), "Additive steps before a multiplicative one (maxStage).")
          .from("Li et al. 2019, section 5.1"),
      field("increase", &H::increase, positive(), "Bytes of an additive step (W_AI).")
          .otherwise("W (1 - eta) / flows_expected (Li et al. 2019, section 3.3)"),
      field("flows_expected", &H::flows_expected, between(1, 1e6),
            "Flows at a bottleneck for which the step is meant (N).")
          .from("Li et al. 2019, section 3.3"),
      field("base_rtt", &H::base_rtt, positive(), "Round trip of an empty network (T).")
          .otherwise("that of the two hosts"),
  };
  return table;
}

const FieldTable<DcqcnInput>& dcqcn_fields() {
  using D = DcqcnInput;
  static const FieldTable<D> table = {
      field("enabled", &D::enabled, "Without it, rates stay at line rate and only pauses hold them back."),
      field("gain", &D::gain, share(), "Weight of a new sign of congestion (g).")
          .from("Zhu et al. 2015, section 5"),
      field("notification_gap", &D::notification_gap, positive(),
            "Least time between two notifications (CNP).")
          .from("Zhu et al. 2015, section 3.1"),
      field("timer", &D::timer, positive(), "Period of the rate's rise.").from("Zhu et al. 2015, section 5"),
      field("byte_counter", &D::byte_counter, positive(), "Bytes after which the rate rises as well.")
          .from("Zhu et al. 2015, section 5"),
      field("fast_recoveries", &D::fast_recoveries, between(0, 1000),
            "Rises that halve the distance to the old rate (F).")
          .from("Zhu et al. 2015, section 3.1"),
      field("increase", &D::increase, share(), "Additive rise, of the link rate (R_AI).").from("uet-htsim"),
      field("hyper_increase", &D::hyper_increase, share(), "Later rises, of the link rate (R_HAI).")
          .from("uet-htsim"),
      field("least_rate", &D::least_rate, share(), "Of the link rate."),
  };
  return table;
}

const FieldTable<NsccInput>& nscc_fields() {
  using N = NsccInput;
  static const FieldTable<N> table = {
      field("target_delay", &N::target_delay, positive(), "Target of queueing.")
          .otherwise("3/4 of the base round trip with trimming, else all of it (uet-htsim)"),
      field(
          "proportional_increase", &N::proportional_increase, at_least(0),
          "Packets that a window grows by in a round trip without delay, in a network of 100 Gbps and 12 us.")
          .from("uet-htsim"),
      field("fair_increase", &N::fair_increase, at_least(0), "The same with delay but no mark.")
          .from("uet-htsim"),
      field("steady_increase", &N::steady_increase, at_least(0), "The same in every round trip (eta).")
          .from("uet-htsim"),
      field("fast_increase", &N::fast_increase, at_least(0),
            "Of the acknowledged bytes, when a whole window saw no queue.")
          .from("uet-htsim"),
      field("decrease", &N::decrease, share(), "For a share of delay above the target (gamma).")
          .from("uet-htsim"),
      field("largest_decrease", &N::largest_decrease, share(), "Most that a window loses at once.")
          .from("uet-htsim"),
      field("delay_gain", &N::delay_gain, share(), "Weight of a new delay.").from("uet-htsim"),
      field("largest_window", &N::largest_window, positive(), "Of the bandwidth-delay product.")
          .from("uet-htsim"),
      field("quick_adapt_share", &N::quick_adapt_share, between(0, 1),
            "A flow that got less than this share of the largest window is set to what it got.")
          .from("uet-htsim (qa_gate 3)"),
  };
  return table;
}

const FieldTable<SmarttInput>& smartt_fields() {
  using S = SmarttInput;
  static const FieldTable<S> table = {
      field("target", &S::target, between(1, 10), "Target of the round trip, of an empty network's.")
          .from("Bonato et al. 2024, section 3"),
      field("fair_increase", &S::fair_increase, at_least(0), "Packets added in a round trip.")
          .from("Bonato et al. 2024, section 3"),
      field("proportional_increase", &S::proportional_increase, at_least(0),
            "Weight of the distance to the target.")
          .from("Bonato et al. 2024, section 3"),
      field("fair_decrease", &S::fair_decrease, at_least(0),
            "Share of the window's excess lost in a round trip of marks.")
          .from("Bonato et al. 2024, section 3"),
      field("multiplicative_decrease", &S::multiplicative_decrease, at_least(0),
            "Weight of delay above the target.")
          .from("Bonato et al. 2024, section 3"),
      field("quick_adapt_gain", &S::quick_adapt_gain, share(),
            "Of what got through in a round trip with trims.")
          .from("Bonato et al. 2024, section 3"),
  };
  return table;
}

const FieldTable<CubicInput>& cubic_fields() {
  using C = CubicInput;
  static const FieldTable<C> table = {
      field("c", &C::c, positive(), "Growth of the cubic curve, packets a cubic second.")
          .from("RFC 9438, section 5.1"),
      field("beta", &C::beta, between(0.1, 0.95), "Share of the window that a loss leaves.")
          .from("RFC 9438, section 4.6"),
  };
  return table;
}

const FieldTable<BbrInput>& bbr_fields() {
  using B = BbrInput;
  static const FieldTable<B> table = {
      field("startup_gain", &B::startup_gain, between(1, 4),
            "Rate over the measured one while it still grows.")
          .from("Cardwell et al. 2016: 2 / ln 2"),
      field("window_gain", &B::window_gain, between(1, 4), "Window over the bandwidth-delay product.")
          .from("Cardwell et al. 2016"),
      field("rtt_window", &B::rtt_window, positive(), "Time for which the shortest round trip is believed.")
          .from("Cardwell et al. 2016"),
      field("probe_rtt", &B::probe_rtt, positive(), "Time spent with four packets to measure it again.")
          .from("Cardwell et al. 2016"),
  };
  return table;
}

const FieldTable<IrnInput>& irn_fields() {
  using I = IrnInput;
  static const FieldTable<I> table = {
      field("dcqcn", &I::dcqcn, "Rates by DCQCN on top of the window.")
          .from("Mittal et al. 2018, section 4.4"),
  };
  return table;
}

const FieldTable<ScheduledInput>& scheduled_fields() {
  using S = ScheduledInput;
  static const FieldTable<S> table = {
      field("utilization", &S::utilization, share(),
            "Share of every link that the controller gives away; acknowledgements and repeats take the rest.")
          .from("Jain et al. 2013, section 6.3: links of B4 run at over 95%"),
      field("most_flows", &S::most_flows, between(0, 1e9),
            "Flows that share a link at one time; others are admitted later. 0: all at once."),
  };
  return table;
}

const FieldTable<FecInput>& fec_fields() {
  using F = FecInput;
  static const FieldTable<F> table = {
      field("data", &F::data, between(1, 254), "Data packets of a block.")
          .from("Rizzo 1997: codes over bytes have 255 packets a block"),
      field("parity", &F::parity, between(0, 254),
            "Parity packets of a block: so many may be lost without a repeat."),
  };
  return table;
}

}  // namespace trainyard
