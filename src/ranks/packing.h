// Numbers and texts as bytes between ranks of one run, which are the same program on the same kind of
// machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

class Packer {
 public:
  Packer& put(std::uint64_t number) { return raw(&number, sizeof number); }
  Packer& put(double number) { return raw(&number, sizeof number); }
  Packer& put(std::string_view text) {
    put(std::uint64_t{text.size()});
    return raw(text.data(), text.size());
  }
  /// Their count is known to who reads them.
  Packer& put(const std::vector<double>& numbers) {
    return raw(numbers.data(), numbers.size() * sizeof(double));
  }

  std::string take() { return std::move(bytes_); }

 private:
  Packer& raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    return *this;
  }
  std::string bytes_;
};

/// Reads what was packed, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t whole() { return number<std::uint64_t>(); }
  double real() { return number<double>(); }
  std::string_view text() { return raw(whole()); }
  std::vector<double> reals(std::size_t count) {
    std::vector<double> out(count);
    for (double& value : out) value = real();
    return out;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  template <class T>
  T number() {
    T out{};
    std::memcpy(&out, raw(sizeof out).data(), sizeof out);
    return out;
  }
  std::string_view raw(std::uint64_t size) {
    if (size > bytes_.size()) throw std::runtime_error("a message between ranks is cut short");
    const std::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  std::string_view bytes_;
};

}  // namespace trainyard
