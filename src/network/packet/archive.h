// State into bytes and back, by cereal's binary archive. Classes say what belongs to their state in a member
//   template <class Archive> void serialize(Archive& a) { a(first_, second_); }
// which needs nothing of cereal: only who packs includes this file.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <istream>
#include <ostream>
#include <queue>
#include <streambuf>
#include <string>
#include <string_view>

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

/// Writes to the end of a text.
class AppendingBuffer : public std::streambuf {
 public:
  explicit AppendingBuffer(std::string& text) : text_(text) {}

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    text_.append(bytes, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type byte) override {
    if (!traits_type::eq_int_type(byte, traits_type::eof())) text_.push_back(traits_type::to_char_type(byte));
    return traits_type::not_eof(byte);
  }

  std::string& text_;
};

/// Reads a text where it stands.
class ViewingBuffer : public std::streambuf {
 public:
  explicit ViewingBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written to
    setg(begin, begin, begin + text.size());
  }
  std::size_t read() const { return static_cast<std::size_t>(gptr() - eback()); }
};

/// Appends the state of some objects.
template <class... Parts>
void pack(std::string& out, Parts&... parts) {
  AppendingBuffer buffer(out);
  std::ostream stream(&buffer);
  cereal::BinaryOutputArchive archive(stream);
  archive(parts...);
}

/// Gives objects the state that `text` begins with, and takes it away. Throws std::exception for what is no
/// such state; the objects are of no use then.
template <class... Parts>
void unpack(std::string_view& text, Parts&... parts) {
  ViewingBuffer buffer(text);
  std::istream stream(&buffer);
  cereal::BinaryInputArchive archive(stream);
  archive(parts...);
  text.remove_prefix(buffer.read());
}

}  // namespace trainyard::packet
