// The rows of a store, written and read in one place.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "trainyard/result_store.h"

namespace trainyard {

/// A row that no search writes; says what is wrong with it.
struct BadRow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Of asked_text(). Throws BadRow.
StoredAsked read_asked(const std::string& text);

/// How many points the free settings of a question have; infinite where no search counts so many.
double points_of(const StoredAsked& asked);

/// Objectives and limits of a point, as JSON; a number that is none is null.
void write_numbers(std::string& out, const StoredPoint& point);
/// Throws BadRow for what write_numbers does not write, and for numbers that no point of the question has.
void read_numbers(std::string_view text, const StoredAsked& asked, StoredPoint& point);

}  // namespace trainyard
