// Distances, the nearest of places, light in fibre.
#include "facility/geo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "facility/fuels.h"

namespace trainyard {
namespace {

TEST(Distance, OfADegreeAndAcrossTheDateLine) {
  EXPECT_NEAR(distance_km({0, 0}, {1, 0}), 111.1950797, 1e-6);  // 6371.0088 pi / 180
  EXPECT_NEAR(distance_km({0, 179.5}, {0, -179.5}), 111.1950797, 1e-6);
  EXPECT_NEAR(distance_km({10, 179.5}, {10, -179.5}), 109.5, 0.1);  // cos 10 of a degree
  EXPECT_EQ(distance_km({45, -120}, {45, -120}), 0);
}

TEST(Distance, OfAQuarterAndHalfTheWayAround) {
  constexpr double kHalf_km = 20015.114442;  // 6371.0088 pi
  EXPECT_NEAR(distance_km({0, 0}, {0, 90}), kHalf_km / 2, 1e-6);
  EXPECT_NEAR(distance_km({90, 0}, {-90, 0}), kHalf_km, 1e-6);
  EXPECT_NEAR(distance_km({0, 0}, {0, 180}), kHalf_km, 1e-6);
}

// New York (JFK) to London (LHR): 5,540 km on the ellipsoid.
TEST(Distance, IsNearThatOnTheEllipsoid) {
  EXPECT_NEAR(distance_km({40.6413, -73.7781}, {51.4700, -0.4543}), 5540, 0.006 * 5540);
}

TEST(NearestPlace, IsTheFirstOfEquallyNearOnes) {
  NearestPlace places;
  EXPECT_FALSE(places.to({0, 0}));
  for (const GeoPoint place : {GeoPoint{0, 2}, GeoPoint{0, -1}, GeoPoint{0, 1}, GeoPoint{0, -1}})
    places.add(place);
  EXPECT_EQ(places.to({0, 0}), 1U);
  EXPECT_EQ(places.to({0, 1.4}), 2U);
  EXPECT_EQ(places.to({0, 179}), 0U);  // 177 degrees; from -1 it is 180
}

// 2 x 1000 km x 1.3 x 1.468 / c.
TEST(Fibre, RoundTripOfAThousandKilometres) {
  EXPECT_NEAR(1000 * round_trip_ms_per_km(1.3, 1.468), 12.7315, 1e-4);
}

TEST(Fuels, AreNamedInTheOrderOfTheAlphabet) {
  EXPECT_EQ(fuel_names().size(), kFuelCount);
  EXPECT_TRUE(std::is_sorted(fuel_names().begin(), fuel_names().end()));
  EXPECT_EQ(fuel_name(Fuel::battery), "battery");
  EXPECT_EQ(fuel_name(Fuel::pumped), "pumped");
  EXPECT_EQ(fuel_name(Fuel::wind), "wind");
  EXPECT_FALSE(is_firm(Fuel::solar));
  EXPECT_TRUE(is_firm(Fuel::pumped));
}

}  // namespace
}  // namespace trainyard
