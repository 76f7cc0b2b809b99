// When a run that goes on for ever is given up: nothing arrives for too long, or the same bytes again and
// again.
#include "network/stall_watch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr std::uint64_t kFlow = 100'000'000;
constexpr std::uint64_t kAStep = 50'000'000;

/// Two flows of 100 MB; bytes in vain are followed for 2 GB at least, silence for a second.
class Watched : public ::testing::Test {
 protected:
  Watched() {
    for (workload::Flow& flow : flows_) {
      flow.bytes = kFlow;
      flow.began = 0;
      flow.to = 1;
    }
  }
  /// So many bytes more arrive; what the watch says, if it gives up.
  std::string step(std::uint64_t bytes, bool gets_on = false) {
    now_.begin += 1'000'000'000;
    now_.delivered_bytes += bytes;
    received_ += gets_on ? 1 : 0;
    try {
      watch_.check(now_);
    } catch (const InputError& error) {
      return error.findings().front().message;
    }
    return {};
  }
  /// Steps until it gives up.
  std::uint64_t bytes_in_vain(std::uint64_t most) {
    for (std::uint64_t sum = kAStep; sum <= most; sum += kAStep) {
      const std::string said = step(kAStep);
      if (said.empty()) continue;
      EXPECT_NE(said.find("the same bytes arrive again and again"), std::string::npos) << said;
      return sum;
    }
    return most;
  }
  void finish(std::size_t flow) {
    flows_[flow].finished = now_.begin;
    ++now_.finished;
  }

  std::vector<workload::Flow> flows_{2};
  packet::WindowSummary now_;
  std::uint64_t received_ = 0;

 private:
  Scenario scenario_;
  std::vector<wiring::Fault> faults_;
  Picoseconds held_back_ = 0;
  std::function<std::uint64_t()> asked_ = [this] { return received_; };
  StallWatch watch_{scenario_, flows_, faults_, 1, {1'000'000'000'000, 2e9}, held_back_, asked_};
};

/// Twenty times the bytes of the flows that go on, here 4 GB; looks double, so that it takes twice that at
/// most.
TEST_F(Watched, WhatArrivesAgainAndAgainIsGivenUp) {
  const std::uint64_t sum = bytes_in_vain(20'000'000'000);
  EXPECT_GT(sum, 4'000'000'000U);
  EXPECT_LE(sum, 8'200'000'000U);
}

TEST_F(Watched, WhatGetsOnIsWaitedFor) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(step(kAStep, true), "");
}

/// A flow that ends makes it count anew, with the flows that are left.
TEST_F(Watched, AFlowThatEndsIsProgress) {
  ASSERT_EQ(bytes_in_vain(3'900'000'000), 3'900'000'000U);
  finish(0);
  const std::uint64_t sum = bytes_in_vain(20'000'000'000);
  EXPECT_GT(sum, 2'000'000'000U);
  EXPECT_LE(sum, 4'200'000'000U);
}

TEST_F(Watched, SilenceOfMoreThanItsPatienceIsGivenUp) {
  ASSERT_EQ(step(kAStep), "");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(step(0), "") << i;
  EXPECT_NE(step(0).find("nothing arrives any more"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
