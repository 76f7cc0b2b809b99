#include "base/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace trainyard {
namespace {

std::size_t alignment_of(std::size_t bytes, std::size_t alignment) {
  return bytes >= kHugePage ? std::max(alignment, kHugePage) : alignment;
}

}  // namespace

void* allocate_in_pages(std::size_t bytes, std::size_t alignment) {
  void* memory = ::operator new (bytes, std::align_val_t{alignment_of(bytes, alignment)});
#ifdef MADV_HUGEPAGE
  // A wish: where it is not granted, pages are as usual.
  if (bytes >= kHugePage) (void)madvise(memory, bytes - bytes % kHugePage, MADV_HUGEPAGE);
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
