// Which commit the program was built from; the build writes commit.cpp (cmake/Commit.cmake).
#pragma once

namespace trainyard {

/// "b9ed19d6", with "-dirty" where the checkout had changes; "" where there was no checkout.
const char* build_commit();

}  // namespace trainyard
