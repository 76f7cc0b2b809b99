// Small clusters whose networks are searched, and traffic over them.
#pragma once

#include <memory>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/traffic.h"

namespace trainyard {

constexpr const char* kStatedMapping =
    "tensor = 2\npipeline = 4\ncontext = 1\nexpert = 1\nvirtual_stages = 2\nmicrobatch = 1\nzero_stage = 1\n"
    "recompute = \"selective\"\n";

inline Scenario cluster(const std::string& devices, const std::string& optimize,
                        const std::string& mapping = kStatedMapping, const std::string& rate = "400 Gbps",
                        const std::string& model = "llama3-8b") {
  const std::string text = "[facility]\ndevices = " + devices +
                           "\nhb_domain = \"dgx-h100\"\n[model]\nname = \"" + model + "\"\n[mapping]\n" +
                           mapping + "[network]\nscale_out_rate = \"" + rate + "\"\n[optimize]\n" + optimize;
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text})).resolve();
}

/// Every device to its rank in the HB domain half the datacenter away.
inline TrafficMatrix half_way_round(const NetworkDesign& design) {
  TrafficMatrix matrix;
  matrix.devices = design.hosts;
  matrix.domain_devices = design.domain;
  const std::int64_t shift = design.domains / 2 * design.domain;
  for (std::int64_t d = 0; d < design.hosts; ++d)
    matrix.flows.push_back({d, (d + shift) % design.hosts, Bytes(1)});
  return matrix;
}

}  // namespace trainyard
