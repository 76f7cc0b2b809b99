// Memory that begins with a cache line, so that what fits into lines crosses none.
#pragma once

#include <cstddef>
#include <new>

namespace trainyard {

template <class T>
class LineAllocator {
 public:
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const = default;

 private:
  static constexpr std::align_val_t kLine{64};
};

}  // namespace trainyard
