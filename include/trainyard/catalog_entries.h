// The entries of one kind of the catalog, each read when it is first asked for.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A map from keys to entries. Entries that are read later are read once, for all copies and threads: alone
/// where one is asked for. What changes entries first reads all and makes them its own.
template <class R>
class Entries {
 public:
  using Map = std::map<std::string, R>;
  using const_iterator = typename Map::const_iterator;
  using iterator = typename Map::iterator;

  Entries() = default;
  Entries(std::initializer_list<typename Map::value_type> entries)  // NOLINT(google-explicit-constructor)
      : own_(entries) {}
  /// `keys` and `read` are asked when somebody asks for an entry; `read` gives the entry of one key.
  Entries(std::function<std::vector<std::string>()> keys, std::function<R(const std::string&)> read)
      : later_(std::make_shared<Later>(std::move(keys), std::move(read))) {}

  /// Nobody has changed them since they were to be read.
  bool as_read() const { return later_ != nullptr; }
  const Map& all() const { return later_ ? later_->all() : own_; }
  Map& own() {
    if (later_) {
      own_ = later_->all();
      later_.reset();
    }
    return own_;
  }

  std::vector<std::string> keys() const {
    if (later_) return later_->keys();
    std::vector<std::string> out;
    for (const auto& [key, unused] : own_) out.push_back(key);
    return out;
  }
  /// The entry of a key; none: nothing.
  const R* find(const std::string& key) const {
    if (later_) return later_->find(key);
    const auto found = own_.find(key);
    return found == own_.end() ? nullptr : &found->second;
  }
  bool contains(const std::string& key) const { return later_ ? later_->contains(key) : own_.contains(key); }
  /// Throws std::out_of_range.
  const R& at(const std::string& key) const {
    if (const R* found = find(key)) return *found;
    throw std::out_of_range("no entry '" + key + "'");
  }
  R& at(const std::string& key) { return own().at(key); }
  R& operator[](const std::string& key) { return own()[key]; }
  std::size_t size() const { return later_ ? later_->keys().size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  iterator begin() { return own().begin(); }
  iterator end() { return own().end(); }

 private:
  /// Defined once for the kinds of the catalog (src/catalog/entries_later.cpp).
  class Later {
   public:
    Later(std::function<std::vector<std::string>()> keys, std::function<R(const std::string&)> read);
    ~Later();

    std::vector<std::string> keys();
    bool contains(const std::string& key);
    const R* find(const std::string& key);
    const Map& all();

   private:
    struct Slot {
      std::once_flag once;
      std::optional<R> entry;
    };
    using Slots = std::map<std::string, Slot>;

    Slots& slots();
    const R& read(const std::string& key, Slot& slot);

    std::function<std::vector<std::string>()> list_;
    std::function<R(const std::string&)> read_;
    std::once_flag slots_once_, all_once_;
    Slots slots_;
    Map all_;
  };

  std::shared_ptr<Later> later_;  // nothing: own_ holds them
  Map own_;
};

}  // namespace trainyard
