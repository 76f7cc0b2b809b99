// SQLite's interface with owners and exceptions.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// A database file that is open. What fails throws std::runtime_error with the file's name and SQLite's
/// words.
class Database {
 public:
  enum class Access { read, write };
  Database(const std::string& path, Access access);

  /// Statements without results.
  void run(const char* statements) const;
  /// The number that a statement gives, such as "PRAGMA user_version".
  std::int64_t number(const char* statement) const;

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
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
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  void check(int code) const;

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace trainyard
