// The points of a space by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/free_setting.h"
#include "trainyard/search.h"

namespace trainyard {

/// Points are numbered so that the last setting's value varies first.
class Points {
 public:
  /// Throws InputError for a space without a setting and for one of more than `most` points.
  /// Points that differ only in settings that are `cheap` to change come one after another.
  Points(const std::vector<FreeSetting>& space, std::uint64_t most, SearchShare share,
         const std::vector<bool>& cheap);

  std::uint64_t count() const { return count_; }
  /// Of the share.
  std::uint64_t own() const { return (count_ + share_.of - share_.number) / share_.of; }

  /// For each setting, which value.
  std::vector<std::size_t> choice(std::uint64_t index) const;

  /// The share's points, for 0 to own() - 1, in an order in which neighbours come far from each other: good
  /// points are known early, and others beside them need no plan.
  std::uint64_t spread(std::uint64_t place) const;
  /// The same, with its choice.
  std::uint64_t spread(std::uint64_t place, std::vector<std::size_t>& choice) const;

 private:
  /// The values of some settings together, by number.
  struct Part {
    void add(std::size_t values) { count *= values; }
    void set_stride();
    /// The i-th of them, so that neighbours come far from each other.
    std::uint64_t spread(std::uint64_t i) const;

    std::uint64_t count = 1;
    std::uint64_t stride = 1;
  };

  std::vector<std::size_t> values_;  // of each setting, how many
  std::vector<bool> cheap_;          // of each setting
  SearchShare share_;
  std::uint64_t count_ = 1;
  Part costly_part_;
  Part cheap_part_;
};

}  // namespace trainyard
