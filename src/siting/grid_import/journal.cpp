#include "siting/grid_import/journal.h"

#include <fmt/core.h>

#include <memory>

namespace trainyard::grid_import {

std::string text_of(const Place& place) { return fmt::format("{}:{}", place.file, place.row); }

void Journal::error(const Place& place, const std::string& message, const std::string& help) {
  constexpr int kMostErrors = 20;
  const auto source = std::make_shared<const SourceText>(SourceText{place.file, {}});
  findings_.add({source, place.row, place.column}, message, help);
  if (++errors_ < kMostErrors) return;
  findings_.add(whole(place.file), "further errors are not listed");
  findings_.throw_if_any();
}

void Journal::bad_row(const Place& place, const std::string& message, const std::string& help) {
  if (leave_out_bad_rows_) {
    note("rows left out because of an error", text_of(place) + ": " + message);
  } else {
    error(place, message, (help.empty() ? "" : help + "; ") + "--skip-bad-rows leaves such rows out");
  }
}

void Journal::note(const std::string& topic, const std::string& text) { notes_[topic].push_back(text); }

}  // namespace trainyard::grid_import
