// The names of an enumeration, for files, help and errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// One name of an enumeration, with what it means.
template <class E>
struct Choice {
  E value;
  std::string_view name;
  std::string_view sentence;
};

/// Specialised for each enumeration that a user can write: `static constexpr Choice<E> kAll[]`.
template <class E>
struct Choices;

template <class E>
std::vector<std::string> choice_names() {
  std::vector<std::string> names;
  for (const Choice<E>& choice : Choices<E>::kAll) names.emplace_back(choice.name);
  return names;
}

template <class E>
std::string_view choice_name(E value) {
  for (const Choice<E>& choice : Choices<E>::kAll) {
    if (choice.value == value) return choice.name;
  }
  return "?";
}

}  // namespace trainyard
