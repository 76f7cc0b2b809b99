#include "base/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

namespace trainyard {
namespace {

constexpr std::size_t kManyPages = std::size_t{1} << 16U;

std::size_t alignment_of(std::size_t bytes, std::size_t alignment) {
  return bytes >= kHugePage ? std::max(alignment, kHugePage) : alignment;
}

#ifdef MADV_POPULATE_WRITE
/// Gets all usual pages of a table, which is written as it is made, at once, and not by a fault each.
void populate(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto at = std::bit_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (at + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (at + bytes) / kPage * kPage;
  if (begin < end) (void)madvise(std::bit_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
}
#endif

}  // namespace

void* allocate_in_pages(std::size_t bytes, std::size_t alignment) {
  void* memory = ::operator new (bytes, std::align_val_t{alignment_of(bytes, alignment)});
  // Wishes: where they are not granted, pages are as usual.
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugePage) (void)madvise(memory, bytes - bytes % kHugePage, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE
  if (bytes >= kManyPages && bytes < kHugePage) populate(memory, bytes);
#endif
  return memory;
}

void free_in_pages(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  ::operator delete (memory, std::align_val_t{alignment_of(bytes, alignment)});
}

void PieceBlocks::grow() {
  blocks_.reserve(blocks_.size() + 1);
  used_ = static_cast<std::byte*>(allocate_in_pages(block_, piece_));
  end_ = used_ + block_;
  blocks_.push_back({used_, block_});
  bytes_ += block_;
  block_ = std::max(block_, std::min(2 * block_, kHugePage));
}

void PieceBlocks::free_all() noexcept {
  for (const Block& block : blocks_) free_in_pages(block.memory, block.bytes, piece_);
}

}  // namespace trainyard
