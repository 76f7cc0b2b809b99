#include "report/data/hiding_words.h"

#include <fmt/core.h>

#include "report/data/show.h"

namespace trainyard {

std::string hiding_words(const std::optional<BitRate>& hiding_rate, BitRate nic_rate) {
  if (!hiding_rate) return "none does";
  if (hiding_rate->si() == 0) return "any does";
  if (*hiding_rate <= nic_rate) return show(*hiding_rate);
  return fmt::format("{}, more than its NICs' {}", show(*hiding_rate), show(nic_rate));
}

}  // namespace trainyard
