#include "siting/grid_import/us_states.h"

#include <algorithm>
#include <array>

namespace trainyard::grid_import {
namespace {

constexpr std::array<UsState, 56> kStates = {{{"AL", "Alabama", true},
                                              {"AK", "Alaska", false},
                                              {"AZ", "Arizona", true},
                                              {"AR", "Arkansas", true},
                                              {"CA", "California", true},
                                              {"CO", "Colorado", true},
                                              {"CT", "Connecticut", true},
                                              {"DE", "Delaware", true},
                                              {"DC", "District of Columbia", true},
                                              {"FL", "Florida", true},
                                              {"GA", "Georgia", true},
                                              {"HI", "Hawaii", false},
                                              {"ID", "Idaho", true},
                                              {"IL", "Illinois", true},
                                              {"IN", "Indiana", true},
                                              {"IA", "Iowa", true},
                                              {"KS", "Kansas", true},
                                              {"KY", "Kentucky", true},
                                              {"LA", "Louisiana", true},
                                              {"ME", "Maine", true},
                                              {"MD", "Maryland", true},
                                              {"MA", "Massachusetts", true},
                                              {"MI", "Michigan", true},
                                              {"MN", "Minnesota", true},
                                              {"MS", "Mississippi", true},
                                              {"MO", "Missouri", true},
                                              {"MT", "Montana", true},
                                              {"NE", "Nebraska", true},
                                              {"NV", "Nevada", true},
                                              {"NH", "New Hampshire", true},
                                              {"NJ", "New Jersey", true},
                                              {"NM", "New Mexico", true},
                                              {"NY", "New York", true},
                                              {"NC", "North Carolina", true},
                                              {"ND", "North Dakota", true},
                                              {"OH", "Ohio", true},
                                              {"OK", "Oklahoma", true},
                                              {"OR", "Oregon", true},
                                              {"PA", "Pennsylvania", true},
                                              {"RI", "Rhode Island", true},
                                              {"SC", "South Carolina", true},
                                              {"SD", "South Dakota", true},
                                              {"TN", "Tennessee", true},
                                              {"TX", "Texas", true},
                                              {"UT", "Utah", true},
                                              {"VT", "Vermont", true},
                                              {"VA", "Virginia", true},
                                              {"WA", "Washington", true},
                                              {"WV", "West Virginia", true},
                                              {"WI", "Wisconsin", true},
                                              {"WY", "Wyoming", true},
                                              {"PR", "Puerto Rico", false},
                                              {"GU", "Guam", false},
                                              {"VI", "U.S. Virgin Islands", false},
                                              {"AS", "American Samoa", false},
                                              {"MP", "Northern Mariana Islands", false}}};

}  // namespace

const UsState* us_state(std::string_view code_or_name) {
  const auto* found = std::find_if(kStates.begin(), kStates.end(), [&](const UsState& state) {
    return state.code == code_or_name || state.name == code_or_name;
  });
  return found == kStates.end() ? nullptr : found;
}

}  // namespace trainyard::grid_import
