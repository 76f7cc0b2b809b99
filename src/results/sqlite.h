// SQLite's interface with owners and exceptions.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trainyard/errors.h"

namespace trainyard {

/// What helps where a store is damaged.
constexpr const char* kOtherStore = "remove it, or name another file: the search plans what it kept again";

/// A file that this user cannot open, or not write.
struct UnusableFile : InputError {
  using InputError::InputError;
};

/// A database file that is open. What fails throws with the file's name and SQLite's words: InputError where
/// the file is damaged or of other tables; UnusableFile; std::bad_alloc; else std::runtime_error.
class Database {
 public:
  /// Reading leaves files alone that this user may not write, and the folders that they are in.
  enum class Access { read, write };
  /// `name` is what users know the file by.
  Database(const std::string& path, const std::string& name, Access access);

  /// Statements without results.
  void run(const char* statements) const;
  /// The number that a statement gives, such as "PRAGMA user_version".
  std::int64_t number(const char* statement) const;

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement; parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(const Database& database, const char* text);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  /// Whether there is a row; afterwards it can be bound and run again.
  bool step();
  void run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string text(int column) const { return std::string(view(column)); }
  /// Until the next step.
  std::string_view view(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  void check(int code) const;

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace trainyard
