// A list of independent questions that all ranks of a run answer together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

class Ranks;

struct SharedItems {
  std::string identity;
  std::uint64_t count = 0;
  std::function<std::string(std::uint64_t)> answer;  // of an item, packed
  std::function<void(std::uint64_t)> progress = {};  // how many are answered
};

/// All answers on rank 0, in order; nothing on the others. What an answer throws is thrown on rank 0, for the
/// first item that does, as if one process had answered all. Throws as Ranks::share besides.
std::vector<std::string> answer_together(Ranks& ranks, const SharedItems& items);

}  // namespace trainyard
