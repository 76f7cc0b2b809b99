#include "results/sqlite.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Whether what a run wrote last stands in the log beside the file, and not in it yet.
bool has_log(const std::string& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path + "-wal", code);
  return !code && size > 0;
}

/// A path as SQLite's URIs write it, of a file that nobody changes: it makes no files beside it.
std::string unchanged_file(const std::string& path) {
  std::string out = "file:";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                       std::string_view("/._-").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out + "?immutable=1";
}

constexpr const char* kOwnCopy = "copy it, with its -wal if it has one, to a folder that you may write";

std::string cannot(int code, const std::string& words) {
  if (code == SQLITE_READONLY) return "cannot be written: the file or its folder is read-only for this user";
  return "cannot be opened or written, or no file made beside it: " + words;
}

}  // namespace

Database::Database(const std::string& path, const std::string& name, Access access) : name_(name) {
  constexpr int kWait_ms = 5000;  // for another process that writes
  sqlite3* handle = nullptr;
  const bool leaves_alone =
      access == Access::read && !has_log(path) && !(may_write(path) && may_write(folder_of(path)));
  // What only reads may write too: the last to close a store clears away its log.
  const int flags = leaves_alone ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                 : SQLITE_OPEN_READWRITE | (access == Access::write ? SQLITE_OPEN_CREATE : 0);
  const std::string opened = leaves_alone ? unchanged_file(path) : path;
  const int code = sqlite3_open_v2(opened.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  // SQLite opens what it may not write to read it, and fails later.
  if (access == Access::write && sqlite3_db_readonly(handle, "main") == 1) fail(SQLITE_READONLY);
  sqlite3_busy_timeout(handle, kWait_ms);
}

void Database::run(const char* statements) const {
  const int code = sqlite3_exec(handle_.get(), statements, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* statement) const {
  Statement query(*this, statement);
  return query.step() ? query.integer(0) : 0;
}

void Database::fail(int code) const {
  const std::string words = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  // A file that ends early is damaged, whatever reading it says.
  const bool short_file = handle_ && sqlite3_extended_errcode(handle_.get()) == SQLITE_IOERR_SHORT_READ;
  switch (short_file ? SQLITE_CORRUPT : code & 0xff) {
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
    case SQLITE_INTERNAL:
    case SQLITE_MISUSE:
      throw std::runtime_error(fmt::format("{}: {}", name_, words));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      throw UnusableFile({{whole(name_), cannot(code & 0xff, words), kOwnCopy}});
    default:
      fail_input(whole(name_), "is damaged: " + words, kOtherStore);
  }
}

Statement::Statement(const Database& database, const char* text) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  check(sqlite3_prepare_v2(database.handle(), text, -1, &handle, nullptr));
  handle_.reset(handle);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(
      sqlite3_bind_text64(handle_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  check(sqlite3_reset(handle_.get()));
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::string_view Statement::view(int column) const {
  const auto* bytes = sqlite3_column_text(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes ? std::string_view(reinterpret_cast<const char*>(bytes), size) : std::string_view();
}

}  // namespace trainyard
