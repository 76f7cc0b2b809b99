// The operations of a simulated step as rows that a page draws (web/step.js).
#pragma once

#include <cstddef>
#include <string>

namespace trainyard {

struct StepSimulation;

struct DrawnTimeline {
  std::string json;
  std::string sentence;  // what of the step is drawn
};

/// Of a step of many stages some, evenly chosen, and of long rows what a browser draws without waiting.
DrawnTimeline drawn_timeline(const StepSimulation& step);

}  // namespace trainyard
