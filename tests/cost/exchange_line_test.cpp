// Gathers and sums in one line, by hand.
#include "cost/exchange_line.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

LayerExchange exchange_of(double gather, double sum, double once) {
  LayerExchange out;
  out.gather = Seconds(gather);
  out.sum = out.sum_apart = Seconds(sum);
  out.sum_once = Seconds(once);
  return out;
}

TEST(ExchangeLine, WaitsOnceForTheDelayOfAllSums) {
  const LayerExchange exchange = exchange_of(0, 2, 5);
  ExchangeLine line(exchange, 1);
  line.sum(1, Seconds(0), 0);
  line.sum(1, Seconds(1), 0);
  EXPECT_DOUBLE_EQ(line.end().si(), 0 + 2 + 2 + 5);
}

TEST(ExchangeLine, CarriesWhatFollowsADelayBesideWhatIsBeforeIt) {
  LayerExchange exchange = exchange_of(0, 2, 5);
  exchange.sum_apart = Seconds(1);
  ExchangeLine early(exchange, 1);
  early.sum(3, Seconds(0), 0);
  EXPECT_DOUBLE_EQ(early.end().si(), 3 * 1 + 5);  // longer than the 3 * 2 of its network
  ExchangeLine busy(exchange, 1);
  busy.sum(9, Seconds(0), 0);
  EXPECT_DOUBLE_EQ(busy.end().si(), 9 * 2);
}

TEST(ExchangeLine, GathersGoAheadOfStagesThatHaveNotAsked) {
  LayerExchange exchange = exchange_of(1, 4, 0);
  exchange.sum_first = 0.25;
  ExchangeLine line(exchange, 2);
  line.sum(1, Seconds(0), 1);
  EXPECT_DOUBLE_EQ(line.gather(1, Seconds(0.5)).si(), 4 * 0.25 + 1);
  EXPECT_DOUBLE_EQ(line.summed(1).si(), 4 * 0.25 + 1 + 4 * 0.75);
  EXPECT_DOUBLE_EQ(line.summed(0).si(), 0);
}

TEST(ExchangeLine, ReturnsWeightsFromTheStepsBeginningOn) {
  LayerExchange exchange = exchange_of(0, 2, 0);
  exchange.returned = Seconds(3);
  exchange.returned_once = Seconds(7);
  ExchangeLine line(exchange, 1);
  EXPECT_DOUBLE_EQ(line.returned(1).si(), 3 + 7);
  EXPECT_DOUBLE_EQ(line.returned(2).si(), 3 + 6 + 7);
  line.sum(1, Seconds(20), 0);
  EXPECT_DOUBLE_EQ(line.end().si(), 20 + 2);
}

}  // namespace
}  // namespace trainyard
