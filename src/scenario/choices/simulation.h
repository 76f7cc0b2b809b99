// The names of the enumerations of a simulation.
#pragma once

#include "base/choices.h"
#include "trainyard/load_balancing.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard {

template <>
struct Choices<FlowSizes> {
  static constexpr Choice<FlowSizes> kAll[] = {
      {FlowSizes::fixed, "fixed", "simulation.bytes each"},
      {FlowSizes::web_search, "web_search", "web search (Alizadeh et al. 2010), 1.71 MB on average"},
      {FlowSizes::data_mining, "data_mining", "data mining (Greenberg et al. 2009), 7.47 MB on average"},
      {FlowSizes::hadoop, "hadoop", "Facebook's Hadoop (Roy et al. 2015), 120 kB on average"},
      {FlowSizes::w1, "w1", "memcached at Facebook (W1 of Montazeri et al. 2018), 0.19 kB on average"},
      {FlowSizes::w2, "w2", "Google search (W2 of Montazeri et al. 2018), 0.44 kB on average"},
      {FlowSizes::w3, "w3", "all of a Google datacenter (W3 of Montazeri et al. 2018), 2.9 kB on average"},
      {FlowSizes::w4, "w4", "Facebook's Hadoop (W4 of Montazeri et al. 2018), 128 kB on average"},
      {FlowSizes::w5, "w5", "web search (W5 of Montazeri et al. 2018), 2.56 MB on average"}};
};

template <>
struct Choices<ProbeDirection> {
  static constexpr Choice<ProbeDirection> kAll[] = {{ProbeDirection::both, "both", "both ends of its links"},
                                                    {ProbeDirection::out, "out", "what the node sends"},
                                                    {ProbeDirection::in, "in", "what is sent to the node"}};
};

template <>
struct Choices<PacketRouting> {
  static constexpr Choice<PacketRouting> kAll[] = {
      {PacketRouting::minimal, "minimal", "by shortest ways"},
      {PacketRouting::valiant, "valiant", "by a random switch first (Valiant 1982)"},
      {PacketRouting::ugal, "ugal", "by a random switch first where queues there are shorter (Singh 2005)"}};
};

template <>
struct Choices<Delivery> {
  static constexpr Choice<Delivery> kAll[] = {
      {Delivery::rod, "rod", "reliable and in order, on one path: go-back-N"},
      {Delivery::rud, "rud", "reliable, once, in any order: selective acknowledgements"},
      {Delivery::rudi, "rudi", "reliable, at least once, in any order: receivers remember nothing"},
      {Delivery::uud, "uud", "unreliable: sent once, without acknowledgements or congestion control"}};
};

template <>
struct Choices<SimulationExtent> {
  static constexpr Choice<SimulationExtent> kAll[] = {
      {SimulationExtent::network, "network", "one network of the design"},
      {SimulationExtent::datacenter, "datacenter", "all its networks and the HB domains of a datacenter"},
      {SimulationExtent::cluster, "cluster", "all datacenters, joined by their gateways"}};
};

template <>
struct Choices<LoadBalancing> {
#define TRAINYARD_LOAD_BALANCING(name, sentence, ...) {LoadBalancing::name, #name, sentence},
  static constexpr Choice<LoadBalancing> kAll[] = {
#include "trainyard/registries/load_balancings.def"
  };
};

}  // namespace trainyard
