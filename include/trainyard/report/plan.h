// A plan as text, JSON, CSV, pictures and a page.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Chart;
struct Interval;
struct NetworkAnswer;
struct Plan;
struct SweepResult;

/// The story of a plan on one or two screens.
std::string plan_text(const Plan& plan);

/// " +-8%": how far an interval reaches; nothing of an exact figure.
std::string margin_text(const Interval& interval);

/// Every quantity by section and name, with warnings, operators, gradient exchanges and provenance.
std::string plan_json(const Plan& plan);
std::string plan_csv(const Plan& plan);

/// With these charts and networks. Everything that comes from the user is escaped.
std::string plan_page(const Plan& plan, const std::vector<Chart>& charts,
                      const std::vector<NetworkAnswer>& networks);

/// With the scaling laws, these sweeps and the scenario's networks.
std::string plan_page(const Plan& plan, const std::vector<SweepResult>& sweeps);

/// Which pipeline stage stands in which HB domain, with the replicas inside; long rows and columns are
/// elided.
std::string placement_svg(const Plan& plan);

/// Forward and backward pass of one layer on one device, to scale: computation, exposed transfers, and the
/// stages of the gradient exchange behind the backward pass (HotNets '24 Fig. 2).
std::string layer_svg(const Plan& plan);

}  // namespace trainyard
