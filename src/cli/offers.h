// Names that the program knows, for shells that complete words.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

std::vector<std::string> scenario_names();
/// "facility.devices=": every setting, as --set begins with it.
std::vector<std::string> setting_names();
/// "facility", "facility.devices": what `describe` takes.
std::vector<std::string> setting_topics();
std::vector<std::string> catalog_kind_names();
std::vector<std::string> catalog_keys();
/// The choices of a setting: of "simulation.transport", the transports.
std::vector<std::string> choices_of(const std::string& setting);
/// "simulation.transport=ndp", "model.name=gpt3-175b" of every setting that takes one of a few names.
std::vector<std::string> setting_choices();

/// Quantities of a plan, as `plan --explain` takes them.
std::vector<std::string> quantity_names();

}  // namespace trainyard
