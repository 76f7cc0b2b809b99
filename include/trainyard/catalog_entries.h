// The entries of one kind of the catalog, read when they are first asked for.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A map from keys to entries. One that is read later is read once, for all its copies and threads; what
/// changes entries first makes them its own.
template <class R>
class Entries {
 public:
  using Map = std::map<std::string, R>;
  using const_iterator = typename Map::const_iterator;
  using iterator = typename Map::iterator;

  Entries() = default;
  Entries(std::initializer_list<typename Map::value_type> entries) : own_(entries) {}
  explicit Entries(std::function<Map()> read) : later_(std::make_shared<Later>(std::move(read))) {}

  /// Nobody has changed them since they were to be read.
  bool as_read() const { return later_ != nullptr; }
  const Map& all() const { return later_ ? later_->get() : own_; }
  Map& own() {
    if (later_) {
      own_ = later_->get();
      later_.reset();
    }
    return own_;
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const auto& [key, unused] : all()) out.push_back(key);
    return out;
  }
  bool contains(const std::string& key) const { return all().contains(key); }
  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const R& at(const std::string& key) const { return all().at(key); }
  R& at(const std::string& key) { return own().at(key); }
  R& operator[](const std::string& key) { return own()[key]; }
  const_iterator find(const std::string& key) const { return all().find(key); }
  iterator find(const std::string& key) { return own().find(key); }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  iterator begin() { return own().begin(); }
  iterator end() { return own().end(); }

 private:
  class Later {
   public:
    explicit Later(std::function<Map()> read) : read_(std::move(read)) {}
    const Map& get() {
      std::call_once(once_, [this] { map_ = read_(); });
      return map_;
    }

   private:
    std::function<Map()> read_;
    std::once_flag once_;
    Map map_;
  };

  std::shared_ptr<Later> later_;  // nothing: own_ holds them
  Map own_;
};

}  // namespace trainyard
