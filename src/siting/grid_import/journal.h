// What an import says of the files that it reads: errors, rows left out, estimates, provenance.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard::grid_import {

/// A place in an original, for messages.
struct Place {
  std::string file;
  int row = 0;  // as a spreadsheet or an editor counts
  int column = 0;
};

/// `file:row`
std::string text_of(const Place& place);

/// An original that was read.
struct ReadFile {
  std::string path;
  std::string title;  // what stands above the table, such as "2023 Form EIA-860 Data - Schedule 2"
  std::string date;   // on which the file was last written, YYYY-MM-DD
  std::string hash;   // FNV-1a of its bytes
  std::size_t bytes = 0;
  std::size_t rows = 0;              // of data
  std::vector<std::string> ignored;  // columns that are not used
};

/// Collects findings and notes.
class Journal {
 public:
  /// `leave_out_bad_rows`: what is wrong with one row becomes a note in place of an error.
  explicit Journal(bool leave_out_bad_rows = false) : leave_out_bad_rows_(leave_out_bad_rows) {}

  /// The file is not what it should be. Throws InputError with all errors so far when there are twenty.
  void error(const Place& place, const std::string& message, const std::string& help = {});
  /// A row cannot be used: an error, or a note where the user asked for it.
  void bad_row(const Place& place, const std::string& message, const std::string& help = {});
  /// Something that the user should know. `topic` gathers like notes.
  void note(const std::string& topic, const std::string& text);
  void add_file(ReadFile file) { files_.push_back(std::move(file)); }

  /// Throws InputError when there was an error.
  void throw_if_any() const { findings_.throw_if_any(); }

  const std::map<std::string, std::vector<std::string>>& notes() const { return notes_; }
  const std::vector<ReadFile>& files() const { return files_; }

 private:
  bool leave_out_bad_rows_;
  int errors_ = 0;
  Findings findings_;
  std::map<std::string, std::vector<std::string>> notes_;
  std::vector<ReadFile> files_;
};

}  // namespace trainyard::grid_import
