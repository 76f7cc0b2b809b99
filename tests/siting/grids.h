// Small grids for tests, small enough to be checked by hand.
#pragma once

#include <gtest/gtest.h>

#include "siting/grid_files.h"
#include "trainyard/errors.h"

namespace trainyard {

inline std::shared_ptr<const SourceText> grid_text(const std::string& name, const std::string& text) {
  return std::make_shared<const SourceText>(SourceText{name, text});
}

/// Three nodes a degree apart on two meridians: gas and load in 001, wind in 002, coal in 003.
inline GridTexts triangle() {
  GridTexts out;
  const auto add = [&](const char* name, const std::string& text) { out[name] = grid_text(name, text); };
  add("plants.csv",
      "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,ba_code,county_fips\n"
      "p1,Gas One,10.0,20.0,900,gas,AA,001\n"
      "p2,Windy,11.0,20.0,300,wind,AA,002\n"
      "p3,Sooty,10.0,21.0,400,coal,BB,\n");
  add("substations.csv",
      "node_id,lat_deg,lon_deg,peak_load_est_mw,ba_group,interconnection\n"
      "001,10.0,20.0,500,AA,East\n"
      "002,11.0,20.0,50,AA,East\n"
      "003,10.0,21.0,100,BB,West\n");
  add("lines.csv",
      "from_node,to_node,kind,capacity_fwd_mw,capacity_rev_mw\n"
      "001,002,AC,300,200\n"
      "001,003,B2B,150,\n"
      "002,003,AC,80,80\n");
  add("balancing_authorities.csv",
      "code,name,interconnection,peak_demand_mw,paper_available_mw\nAA,Alpha,East,550,600\nBB,Beta,West,,\n");
  return out;
}

/// The triangle with another text for one file.
inline GridTexts triangle_text(const std::string& file, const std::string& text) {
  GridTexts out = triangle();
  out[file] = grid_text(file, text);
  return out;
}

/// The triangle with one piece of one file replaced.
inline GridTexts triangle_with(const std::string& file, const std::string& replace, const std::string& with) {
  std::string text = triangle().at(file)->text;
  const auto at = text.find(replace);
  EXPECT_NE(at, std::string::npos) << replace;
  text.replace(at, replace.size(), with);
  return triangle_text(file, text);
}

}  // namespace trainyard
