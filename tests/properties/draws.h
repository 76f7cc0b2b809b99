// A property over many draws: what is refused is no counterexample, but most draws have to answer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "dice.h"
#include "draft.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard::properties {

/// Under sanitizers a tenth of the draws, which look for other things than rare cases; TRAINYARD_DRAWS=20
/// makes twenty times as many.
inline int draws(int usual) {
  if (const char* times = std::getenv("TRAINYARD_DRAWS")) return usual * std::max(1, std::atoi(times));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::max(4, usual / 10);
#else
  return usual;
#endif
}

/// The largest of a test's deviations, which `--gtest_output=json` shows: bounds are set by it.
class Widest {
 public:
  void add(double deviation) { widest_ = std::max(widest_, std::abs(deviation)); }
  explicit Widest(const char* name = "widest") : name_(name) {}
  Widest(const Widest&) = delete;
  Widest& operator=(const Widest&) = delete;
  Widest(Widest&&) = delete;
  Widest& operator=(Widest&&) = delete;
  ~Widest() { testing::Test::RecordProperty(name_, std::to_string(1e9 * widest_) + "e-9"); }

 private:
  const char* name_;
  double widest_ = 0;
};

/// What a question answers; nothing where it is refused.
template <class Ask>
auto answered(const Ask& ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

struct Draws {
  int usual = 0;
  int first = 1;
};

/// `property(draft, answer, dice)` for every draft of `draw(dice)` to which `ask(scenario)` has an answer.
/// Another way to ask the same has to answer too: what the property throws fails the test.
template <class Draw, class Ask, class Property>
void for_all(Draws wanted, Draw draw, Ask ask, Property property) {
  constexpr double kMost = 0.6;
  constexpr int kEnough = 10;  // of draws, that a share of them says something
  const int count = draws(wanted.usual);
  int answers = 0;
  for (int n = wanted.first; n < wanted.first + count && !testing::Test::HasFatalFailure(); ++n) {
    Dice dice(static_cast<std::uint64_t>(n));
    const Draft draft = draw(dice);
    SCOPED_TRACE("draw " + std::to_string(n) + ":\n" + draft.text());
    const auto answer = answered([&] { return ask(draft.scenario()); });
    if (!answer) continue;
    ++answers;
    property(draft, *answer, dice);
  }
  EXPECT_GE(answers, count < kEnough ? 1 : kMost * count) << "too few of " << count << " draws answer";
}

}  // namespace trainyard::properties
