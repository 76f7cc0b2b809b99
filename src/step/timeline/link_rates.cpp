#include "step/timeline/link_rates.h"

#include "trainyard/networks.h"

namespace trainyard {

double rate_of(const Networks& networks, StepResource resource) {
  switch (resource) {
    case StepResource::compute:
      return 1;
    case StepResource::scale_up:
      return networks.scale_up.rate.si();
    case StepResource::scale_out:
      return networks.scale_out.rate.si();
    case StepResource::wide_area:
      return networks.wide_area.rate.si();
    case StepResource::host:
      return 2 * networks.host.si();
  }
  return 0;
}

}  // namespace trainyard
