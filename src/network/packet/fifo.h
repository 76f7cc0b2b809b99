// A queue that takes no memory while it is empty, and little while it is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/prefetch.h"

namespace trainyard::packet {

/// First in, first out, in a ring that doubles: there is one a host or a flow, most of them empty, for which
/// a std::deque would take half a kilobyte each.
template <class T>
class Fifo {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator(const Fifo& of, std::uint32_t index) : of_(of), index_(index) {}
    const T& operator*() const { return of_[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Fifo& of_;
    std::uint32_t index_;
  };

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const T& front() const { return ring_[head_]; }
  const T& operator[](std::uint32_t index) const { return ring_[place(index)]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, count_}; }

  void push_back(const T& value) {
    if (count_ == ring_.size()) grow();
    ring_[place(count_++)] = value;
  }
  void pop_front() {
    head_ = place(1);
    --count_;
  }
  /// Takes out the first of such a value; whether there was one.
  bool remove(const T& value) {
    std::uint32_t at = 0;
    while (at < count_ && !((*this)[at] == value)) ++at;
    if (at == count_) return false;
    for (; at + 1 < count_; ++at) ring_[place(at)] = (*this)[at + 1];
    --count_;
    return true;
  }

  /// What stands at `index` becomes the first; those before it keep their order.
  void bring_forward(std::uint32_t index) {
    const T value = (*this)[index];
    for (; index > 0; --index) ring_[place(index)] = (*this)[index - 1];
    ring_[head_] = value;
  }

  /// Fetches what is first.
  void prefetch() const { prefetch_line(ring_.data() + head_); }

  std::size_t bytes() const { return ring_.capacity() * sizeof(T); }
  template <class Archive>
  void serialize(Archive& a) {
    std::vector<T> values;
    for (const T& value : *this) values.push_back(value);
    a(values);
    if constexpr (Archive::is_loading::value) {
      *this = {};
      for (const T& value : values) push_back(value);
    }
  }

 private:
  static constexpr std::size_t kSmallest = 4;

  std::uint32_t place(std::uint32_t index) const {
    return (head_ + index) & static_cast<std::uint32_t>(ring_.size() - 1);
  }
  void grow() {
    std::vector<T> larger(ring_.empty() ? kSmallest : 2 * ring_.size());
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
    ring_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> ring_;  // a power of two of places
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace trainyard::packet
