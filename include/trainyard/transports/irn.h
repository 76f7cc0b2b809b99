// Parameters of irn. Defaults are those of the named papers.
#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

/// [irn]
struct IrnInput {
  static constexpr std::string_view kBesides = "dcqcn";  // a section whose settings count too

  bool dcqcn = false;

  template <class Field>
  static auto fields(const Field& field) {
    using I = IrnInput;
    return std::vector{field("dcqcn", &I::dcqcn, "Rates by DCQCN on top of the window.")
                           .from("Mittal et al. 2018, section 4.4")};
  }
};

}  // namespace trainyard
