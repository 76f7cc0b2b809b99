// Small designs for tests.
#pragma once

#include <memory>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/topology_kind.h"

namespace trainyard {

/// A scenario of 8-GPU domains at 400 Gbps, with these sections appended.
inline Scenario small_scenario(const std::string& more = {}, const std::string& facility = {}) {
  const std::string text = "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n" + facility +
                           "[model]\nname = \"llama3-8b\"\n" + more;
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text})).resolve();
}

inline DesignInput small_input(TopologyKind kind, std::int64_t hosts, std::int64_t radix) {
  DesignInput input;
  input.name = "test";
  input.topology = kind;
  input.hosts = hosts;
  input.radix = radix;
  input.gateways = 0;
  input.prices = "railonly23";
  return input;
}

/// GB200 NVL72: 18 NVSwitch chips, each joined to all 72 GPUs at 400 Gbps each way.
inline DesignInput nvl72_input() {
  DesignInput input;
  input.name = "nvl72";
  input.topology = TopologyKind::scale_up;
  input.hosts = 72;
  input.domain = 72;
  input.planes = 18;
  input.rate = BitRate(7.2e12);
  input.switch_name = "nvswitch4";
  return input;
}

inline NetworkDesign small_design(const DesignInput& input) {
  static const Scenario scenario = small_scenario();
  return resolve_design(scenario, input);
}

}  // namespace trainyard
