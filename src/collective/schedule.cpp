#include "collective/schedule.h"

namespace trainyard {
namespace {

/// One way around rings of equal length: in step s, the member at i sends the piece that is `lead` - s from
/// its own number.
void once_around(TransferSink& sink, const std::vector<Ring>& rings, std::uint64_t lead) {
  const std::uint64_t members = rings.front().ranks.size();
  for (std::uint64_t s = 0; s + 1 < members; ++s) {
    for (const Ring& ring : rings) {
      const Pieces pieces{ring.bytes, members};
      for (std::uint64_t i = 0; i < members; ++i)
        sink.send(ring.ranks[i], ring.ranks[(i + 1) % members],
                  pieces.of((i + lead + members - s) % members));
    }
    sink.end_step();
  }
}

}  // namespace

std::vector<Ring> rings_of(std::uint32_t count, std::uint32_t members, std::uint32_t stride,
                           std::uint32_t offset, std::uint64_t bytes) {
  std::vector<Ring> out(count, {{}, bytes});
  for (std::uint32_t r = 0; r < count; ++r) {
    for (std::uint32_t i = 0; i < members; ++i) out[r].ranks.push_back(r * offset + i * stride);
  }
  return out;
}

void reduce_scatter(TransferSink& sink, const std::vector<Ring>& rings) { once_around(sink, rings, 0); }

void all_gather(TransferSink& sink, const std::vector<Ring>& rings) { once_around(sink, rings, 1); }

}  // namespace trainyard
