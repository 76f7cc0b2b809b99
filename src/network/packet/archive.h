// State into bytes and back, by archives of cereal's kind. Classes say what belongs to their state in a
// member
//   template <class Archive> void serialize(Archive& a) { a(first_, second_); }
// which needs nothing of cereal: only who packs includes this file. Numbers stand as the processor has them.
//
// Bytes that are read may be anybody's: what they hold is checked (bounds.h), and nothing is allocated for
// more elements than there are bytes left.
#pragma once

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cmath>
#include <cstring>
#include <queue>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/bounds.h"

namespace cereal {

/// In the order in which it would be emptied: equal queues give equal bytes, whatever their heaps look like.
template <class Archive, class T, class Compare>
void save(Archive& archive, std::priority_queue<T, std::vector<T>, Compare> queue) {
  std::vector<T> sorted;
  sorted.reserve(queue.size());
  for (; !queue.empty(); queue.pop()) sorted.push_back(queue.top());
  archive(sorted);
}

template <class Archive, class T, class Compare>
void load(Archive& archive, std::priority_queue<T, std::vector<T>, Compare>& queue) {
  std::vector<T> sorted;
  archive(sorted);
  queue = std::priority_queue<T, std::vector<T>, Compare>(Compare(), std::move(sorted));
}

}  // namespace cereal

namespace trainyard::packet {

// put() and take() are cold: what leads to them is compiled for size, and every transport holds all of it.

/// Appends to a text.
class StateOutput : public cereal::OutputArchive<StateOutput, cereal::AllowEmptyClassElision> {
 public:
  explicit StateOutput(std::string& text) : OutputArchive(this), text_(text) {}
  [[gnu::cold, gnu::noinline]] void put(const void* bytes, std::size_t count) {
    text_.append(static_cast<const char*>(bytes), count);
  }
  template <class Table>
  void table(const Table& table) {
    (*this)(table);
  }

 private:
  std::string& text_;
};

/// Reads a text where it stands.
class StateInput : public cereal::InputArchive<StateInput, cereal::AllowEmptyClassElision> {
 public:
  explicit StateInput(std::string_view text) : InputArchive(this), rest_(text) {}
  [[gnu::cold, gnu::noinline]] void take(void* bytes, std::size_t count) {
    keep_bounds(count <= rest_.size());
    if (count > 0) std::memcpy(bytes, rest_.data(), count);
    rest_.remove_prefix(count);
  }
  std::size_t left() const { return rest_.size(); }
  /// Into a table that has its length.
  template <class Table>
  void table(Table& table) {
    cereal::size_type size = 0;
    take(&size, sizeof(size));
    keep_bounds(size == table.size());
    for (auto& element : table) (*this)(element);
  }

 private:
  std::string_view rest_;
};

template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
void CEREAL_SAVE_FUNCTION_NAME(StateOutput& a, const T& value) {
  a.put(&value, sizeof(T));
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateOutput& a, const cereal::BinaryData<T>& block) {
  a.put(block.data, block.size);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateOutput& a, const cereal::SizeTag<T>& count) {
  a(count.size);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(StateOutput& a, const cereal::NameValuePair<T>& named) {
  a(named.value);
}

template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
void CEREAL_LOAD_FUNCTION_NAME(StateInput& a, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    a.take(&byte, 1);
    keep_bounds(byte <= 1);
    value = byte == 1;
  } else {
    a.take(&value, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) keep_bounds(std::isfinite(value));
  }
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateInput& a, cereal::NameValuePair<T>& named) {
  a(named.value);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateInput& a, cereal::BinaryData<T>& block) {
  a.take(block.data, block.size);
  using Number = std::remove_pointer_t<std::decay_t<T>>;
  if constexpr (std::is_floating_point_v<Number>) {
    const auto* numbers = static_cast<const Number*>(block.data);
    for (std::size_t i = 0; i < block.size / sizeof(Number); ++i) keep_bounds(std::isfinite(numbers[i]));
  }
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(StateInput& a, cereal::SizeTag<T>& count) {
  a(count.size);
  keep_bounds(count.size <= a.left());  // every element takes a byte
}

/// Appends the state of some objects.
template <class... Parts>
void pack(std::string& out, Parts&... parts) {
  StateOutput archive(out);
  archive(parts...);
}

/// Gives objects the state that `text` begins with, and takes it away. Throws std::exception for what is no
/// such state; the objects are of no use then.
template <class... Parts>
void unpack(std::string_view& text, Parts&... parts) {
  StateInput archive(text);
  archive(parts...);
  text.remove_prefix(text.size() - archive.left());
}

}  // namespace trainyard::packet

CEREAL_SETUP_ARCHIVE_TRAITS(trainyard::packet::StateInput, trainyard::packet::StateOutput)
