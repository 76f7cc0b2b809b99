// What devices do in the course of a simulated step, drawn in letters and digits.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct StepSimulation;

/// Not all of hundreds of stages: the ends, so many in all, and the first ones that something fails in.
std::vector<std::size_t> shown_stages(const StepSimulation& step, std::size_t most);

/// A line for each of these stages: a letter for what it does most of the time.
std::string stage_lines(const StepSimulation& step, const std::vector<std::size_t>& stages);

/// How much all devices do, and how full some of them are, in tenths.
std::string over_time_section(const StepSimulation& step);

}  // namespace trainyard
