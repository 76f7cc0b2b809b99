// Memory in huge pages where the system gives them: one entry of the processor's page table for 512 usual
// pages.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace trainyard {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

/// Memory at a multiple of `alignment`, a power of two; in huge pages where it is as large as one. Throws
/// std::bad_alloc.
void* allocate_in_pages(std::size_t bytes, std::size_t alignment);
void free_in_pages(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// For tables that a run reads here and there.
template <class T>
class PageAllocator {
 public:
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_in_pages(count * sizeof(T), alignof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    free_in_pages(memory, count * sizeof(T), alignof(T));
  }
  bool operator==(const PageAllocator&) const = default;
};

/// A vector for many small things.
template <class T>
using PagedVector = std::vector<T, PageAllocator<T>>;

/// Pieces of one size, a power of two, at multiples of it, that are given back all together. Blocks of them
/// double up to a huge page, so that little takes little.
class PieceBlocks {
 public:
  explicit PieceBlocks(std::size_t piece) : piece_(piece), block_(64 * piece) {}
  ~PieceBlocks() { free_all(); }
  PieceBlocks(const PieceBlocks&) = delete;
  PieceBlocks& operator=(const PieceBlocks&) = delete;

  /// Its bytes are as they come.
  void* take() {
    if (used_ == end_) grow();
    void* out = used_;
    used_ += piece_;
    return out;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    std::byte* memory;
    std::size_t bytes;
  };

  void grow();
  void free_all() noexcept;

  std::size_t piece_;
  std::size_t block_;  // bytes of the next one
  std::size_t bytes_ = 0;
  std::byte* used_ = nullptr;  // up to here, of the last block
  std::byte* end_ = nullptr;
  std::vector<Block> blocks_;
};

}  // namespace trainyard
