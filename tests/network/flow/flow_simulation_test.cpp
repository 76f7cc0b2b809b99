#include "network/flow/flow_simulation.h"

#include <gtest/gtest.h>
