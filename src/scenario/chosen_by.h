// Who may choose an algorithm of a collective, and what `best` says of itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainyard {

enum class ChosenBy {
  name,          // users alone
  name_or_best,  // and `best`, which takes the quickest
};

struct NamedAlgorithm {
  std::string_view name;
  ChosenBy chosen_by;
};

/// "the quickest of A, B and C for the size of the buffer"
class SentenceOfBest {
 public:
  template <std::size_t N>
  explicit constexpr SentenceOfBest(const NamedAlgorithm (&all)[N]) {
    std::size_t left = 0;
    for (const NamedAlgorithm& one : all) left += one.chosen_by == ChosenBy::name_or_best ? 1 : 0;
    add("the quickest of ");
    for (const NamedAlgorithm& one : all) {
      if (one.chosen_by == ChosenBy::name) continue;
      add(one.name);
      --left;
      if (left > 0) add(left == 1 ? " and " : ", ");
    }
    add(" for the size of the buffer");
  }

  constexpr std::string_view text() const { return {text_, size_}; }

 private:
  constexpr void add(std::string_view part) {
    for (const char letter : part) text_[size_++] = letter;
  }

  char text_[400] = {};
  std::size_t size_ = 0;
};

}  // namespace trainyard
