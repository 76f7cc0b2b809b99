// Words and figures of a schedule that several surfaces share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct ScheduleAnswer;
struct ScheduleChoice;
struct ScheduleClass;
struct ScheduleUse;
struct Scenario;
struct PublishedJobFigure;

/// Shares of all device-seconds by use, in the order in which they are drawn; together 1.
std::vector<std::pair<std::string, double>> shares_of_use(const ScheduleUse& use);

/// "9 to 16", "1".
std::string size_range(const ScheduleClass& row, const char* to = " to ");

/// What the network is, a line for each tier: "leaf: 8 groups of 32 HB domains, 2:1".
std::vector<std::string> level_lines(const ScheduleAnswer& answer);

/// "rails, 2,048 devices in 256 HB domains of 8".
std::string cluster_line(const ScheduleAnswer& answer);

/// [schedule] as it holds, defaults too: key and text.
std::vector<std::pair<std::string, std::string>> schedule_settings(const Scenario& scenario);

/// A wait in at most nine letters: "12.50 s", "48.20 min", "3.500 h", "120.7 d".
std::string wait_text(Seconds time);

/// "1 job", "2,000 jobs".
std::string jobs_text(std::int64_t jobs);

/// A published figure in its unit.
std::string figure_text(double value, const std::string& unit);

/// Ours over the published one, less 1: "+3.1%"; "" where there is none.
std::string apart_text(const PublishedJobFigure& figure);

}  // namespace trainyard
