// Rows of a table file: Office Open XML (.xlsx, ECMA-376 part 1, section 18.3), or CSV.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// Receives a row: its number in the file as a spreadsheet shows it (the line, in a CSV file), and its cells
/// as text. Returns false to stop.
using RowReader = std::function<bool(int row, const std::vector<std::string>& cells)>;

/// Gives every row that is not blank to `read`, in order. A file that begins as a ZIP archive is read as
/// .xlsx, any other as text whose separator is the tab, bar or comma, whichever its first line has most of.
/// `sheet` is a sheet of the workbook; empty: its first. Numbers come as the file has them, formulas as their
/// last value. Throws InputError for a file that cannot be opened or decoded, and for a sheet that is not in
/// it.
void read_rows(const std::string& path, const std::string& sheet, const RowReader& read);

}  // namespace trainyard
