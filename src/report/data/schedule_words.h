// Words and figures of a schedule that several surfaces share.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

/// A published figure in its unit.
std::string figure_text(double value, const std::string& unit);

/// Ours over the published one, less 1: "+3.1%"; "" where there is none.
std::string apart_text(const PublishedJobFigure& figure);

}  // namespace trainyard
