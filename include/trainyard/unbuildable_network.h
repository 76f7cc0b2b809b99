// Networks that the cluster of a scenario cannot have.
#pragma once

#include "trainyard/errors.h"

namespace trainyard {

/// Wrong is the network for the cluster, and nothing else of the input: who asks for one of the usual
/// networks and can do without goes on where this is thrown, and no other error of the input is taken for it.
class UnbuildableNetwork : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace trainyard
