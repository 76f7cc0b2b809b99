#include "cli/mpi/launch.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace trainyard {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

Launch launch() {
  struct Variables {
    const char* rank;
    const char* count;
    bool connected;
  };
  for (const Variables& of :
       {Variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
        Variables{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", true}, Variables{"PMI_RANK", "PMI_SIZE", true},
        Variables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false}}) {
    const std::optional<int> rank = number_in(of.rank);
    const std::optional<int> count = number_in(of.count);
    if (!rank || !count || *rank >= *count) continue;
    if (*count > 1) return {*rank, *count, of.connected, of.connected};
    if (of.connected) return {.relayed = true};
  }
  return {};
}

}  // namespace trainyard
