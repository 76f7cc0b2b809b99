// How the catalog that is built in is called in results.
#pragma once

namespace trainyard {

/// A digest of its files; src/catalog/name_version.cpp writes the function when the program is built.
const char* shipped_version();

}  // namespace trainyard
