// The catalog that tests of validation go by.
#pragma once

#include "trainyard/catalog.h"

namespace trainyard {

inline const Catalog& catalog() { return *shipped_catalog(); }

}  // namespace trainyard
