#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/destination.h"
#include "base/errors.h"
#include "results/sqlite.h"
#include "results/stored_rows.h"
#include "trainyard/errors.h"
#include "trainyard/result_store.h"

namespace trainyard {
namespace {

constexpr std::int64_t kApplication = 0x54594152;  // "TYAR"
constexpr std::int64_t kFormat = 1;
constexpr const char* kTables =
    "CREATE TABLE question(id INTEGER PRIMARY KEY, identity TEXT NOT NULL, version TEXT NOT NULL, title TEXT "
    "NOT NULL,"
    " scenario TEXT NOT NULL, asked TEXT NOT NULL, begun TEXT NOT NULL, points INTEGER NOT NULL,"
    " UNIQUE(identity, version)) STRICT;"
    "CREATE TABLE point(question INTEGER NOT NULL REFERENCES question, number INTEGER NOT NULL,"
    " outcome INTEGER NOT NULL, numbers TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY(question, number))"
    " STRICT, WITHOUT ROWID;"
    "PRAGMA application_id=0x54594152; PRAGMA user_version=1;";

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

/// Refuses what is no store of this format. An empty file becomes one.
void check_format(const Database& database, const std::string& path, bool may_be_new) {
  std::int64_t tables = 0;
  try {
    tables = database.number("SELECT count(*) FROM sqlite_schema");
  } catch (const UnusableFile&) {
    throw;
  } catch (const InputError& error) {
    fail_input(whole(path), "is no store of results", error.findings().front().message);
  }
  if (tables == 0 && may_be_new) return;
  if (database.number("PRAGMA application_id") != kApplication)
    fail_input(whole(path), "is a database, but no store of results");
  const std::int64_t format = database.number("PRAGMA user_version");
  if (format != kFormat)
    fail_input(whole(path),
               fmt::format("is a store of format {}, and this program reads {}", format, kFormat),
               "another file, or the program that made it");
}

std::string regular_place(const std::string& path) {
  const Destination place = destination(path);
  if (place.kind != Destination::Kind::file)
    fail_input(whole(path), "a store of results has to be a regular file");
  for (const std::string_view end : kBesideStore) {
    if (place.path.ends_with(end))
      fail_input(whole(path), fmt::format("a store of results cannot end in {}", end),
                 "SQLite names its own files beside a store so");
  }
  return place.path;
}

std::uint64_t whole_number(std::int64_t number, const char* what) {
  if (number < 0) throw BadRow(fmt::format("{} of {}", what, number));
  return static_cast<std::uint64_t>(number);
}

StoredQuestion question_of(const Statement& row) {
  StoredQuestion out;
  out.identity = row.text(1);
  out.version = row.text(2);
  out.title = row.text(3);
  out.scenario = row.text(4);
  out.asked = read_asked(row.text(5));
  out.begun = row.text(6);
  out.points = whole_number(row.integer(7), "a count");
  if (static_cast<double>(out.points) != points_of(out.asked))
    throw BadRow(fmt::format("{} points, where its free settings have {}", out.points, points_of(out.asked)));
  out.kept = whole_number(row.integer(8), "a count");
  out.id = row.integer(0);
  return out;
}

StoredPoint point_of(const Statement& row, const StoredQuestion& question) {
  StoredPoint out;
  out.index = whole_number(row.integer(0), "a number");
  if (out.index >= question.points) throw BadRow(fmt::format("the question has {} points", question.points));
  const std::int64_t outcome = row.integer(1);
  if (outcome < 0 || outcome > static_cast<std::int64_t>(StoredOutcome::beyond_limits))
    throw BadRow(fmt::format("an outcome of {}", outcome));
  out.outcome = static_cast<StoredOutcome>(outcome);
  read_numbers(row.view(2), question.asked, out);
  return out;
}

}  // namespace

struct ResultStore::Parts {
  /// A point that is not written yet.
  struct WaitingPoint {
    std::int64_t question = 0;
    std::int64_t number = 0;
    StoredOutcome outcome = StoredOutcome::answer;
    std::string numbers;
  };

  Parts(std::string name, std::string place) : path(std::move(name)), file(std::move(place)) {}

  /// Opens the file that exists, or makes it.
  void open(Database::Access access) {
    database.emplace(file, path, access);
    check_format(*database, path, access == Database::Access::write);
    if (access == Database::Access::read) return;
    // Points come from all over the space: a commit changes pages everywhere. What does not fit the cache is
    // written and read once for every point.
    database->run(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-262144;"  // KiB
        "PRAGMA wal_autocheckpoint=32768;");                                              // pages: 128 MiB
    database->run("BEGIN IMMEDIATE");
    if (database->number("SELECT count(*) FROM sqlite_schema") == 0) database->run(kTables);
    database->run("COMMIT");
  }

  /// Writes what waits, by number: neighbours stand on one page.
  void write_waiting() {
    if (waiting.empty()) return;
    std::sort(waiting.begin(), waiting.end(), [](const WaitingPoint& a, const WaitingPoint& b) {
      return std::tie(a.question, a.number) < std::tie(b.question, b.number);
    });
    database->run("BEGIN IMMEDIATE");
    if (!insert)
      insert.emplace(
          *database,
          "INSERT OR REPLACE INTO point(question, number, outcome, numbers, text) VALUES(?, ?, ?, ?, '')");
    for (const WaitingPoint& point : waiting)
      insert->bind(1, point.question)
          .bind(2, point.number)
          .bind(3, static_cast<std::int64_t>(point.outcome))
          .bind(4, point.numbers)
          .run();
    database->run("COMMIT");
    waiting.clear();
  }

  std::string path;  // as given
  std::string file;
  std::optional<Database> database;
  std::optional<Statement> insert;                   // of points
  std::vector<WaitingPoint> waiting;                 // to be written together
  std::chrono::steady_clock::time_point since = {};  // the first of them came
};

ResultStore::ResultStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

ResultStore::~ResultStore() {
  if (!parts_) return;
  try {
    parts_->write_waiting();
  } catch (const std::exception&) {  // as if the process had ended a second earlier
  }
}

std::vector<std::string> files_beside_store(const std::string& path) {
  const std::string place = destination(path).path;
  std::vector<std::string> out;
  for (const std::string_view end : kBesideStore) out.push_back(place + std::string(end));
  return out;
}

ResultStore ResultStore::open(const std::string& path) {
  auto parts = std::make_unique<Parts>(path, regular_place(path));
  std::error_code code;
  if (std::filesystem::exists(parts->file, code)) parts->open(Database::Access::write);
  return ResultStore(std::move(parts));
}

ResultStore ResultStore::read(const std::string& path) {
  auto parts = std::make_unique<Parts>(path, regular_place(path));
  std::error_code code;
  if (!std::filesystem::exists(parts->file, code)) fail_input(whole(path), "there is no such file");
  parts->open(Database::Access::read);
  return ResultStore(std::move(parts));
}

StoredQuestion ResultStore::question(StoredQuestion asked) {
  if (!parts_->database) parts_->open(Database::Access::write);
  asked.begun = now_utc();
  Statement(*parts_->database,
            "INSERT OR IGNORE INTO question(identity, version, title, scenario, asked, begun, points)"
            " VALUES(?, ?, ?, ?, ?, ?, ?)")
      .bind(1, asked.identity)
      .bind(2, asked.version)
      .bind(3, asked.title)
      .bind(4, asked.scenario)
      .bind(5, asked_text(asked.asked))
      .bind(6, asked.begun)
      .bind(7, static_cast<std::int64_t>(asked.points))
      .run();
  for (StoredQuestion& known : questions()) {
    if (known.identity == asked.identity && known.version == asked.version) return std::move(known);
  }
  fail_input(whole(parts_->path), "is damaged: a question that was just kept is not there", kOtherStore);
}

std::vector<StoredQuestion> ResultStore::questions() const {
  parts_->write_waiting();
  std::vector<StoredQuestion> out;
  Statement query(*parts_->database,
                  "SELECT id, identity, version, title, scenario, asked, begun, points,"
                  " (SELECT count(*) FROM point WHERE question = question.id) FROM question ORDER BY id");
  while (query.step()) {
    try {
      out.push_back(question_of(query));
    } catch (const BadRow& bad) {
      fail_input(whole(parts_->path),
                 fmt::format("is damaged: question {}: {}", query.integer(0), bad.what()), kOtherStore);
    }
  }
  return out;
}

const std::string& ResultStore::path() const { return parts_->path; }

void ResultStore::each_point(const StoredQuestion& question,
                             const std::function<void(const StoredPoint&)>& visit) const {
  parts_->write_waiting();
  Statement query(*parts_->database,
                  "SELECT number, outcome, numbers FROM point WHERE question = ? ORDER BY number");
  query.bind(1, question.id);
  while (query.step()) {
    std::optional<StoredPoint> point;
    try {
      point = point_of(query, question);
    } catch (const BadRow& bad) {
      fail_input(
          whole(parts_->path),
          fmt::format("is damaged: point {} of question {}: {}", query.integer(0), question.id, bad.what()),
          kOtherStore);
    }
    visit(*point);
  }
}

void ResultStore::keep(std::int64_t question, std::span<const StoredPoint> points) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kEvery{500};  // writing them takes as long again
  constexpr std::size_t kMostWaiting = 500'000;     // some 60 MB
  if (parts_->waiting.empty()) parts_->since = Clock::now();
  for (const StoredPoint& point : points) {
    Parts::WaitingPoint& waits = parts_->waiting.emplace_back();
    waits.question = question;
    waits.number = static_cast<std::int64_t>(point.index);
    waits.outcome = point.outcome;
    write_numbers(waits.numbers, point);
  }
  if (Clock::now() - parts_->since > kEvery || parts_->waiting.size() > kMostWaiting) parts_->write_waiting();
}

void ResultStore::take_over(const std::string& path) {
  const ResultStore other = read(path);
  for (const StoredQuestion& question : other.questions())  // checks them
    other.each_point(question, [](const StoredPoint&) {});
  if (!parts_->database) parts_->open(Database::Access::write);
  parts_->write_waiting();
  Statement(*parts_->database, "ATTACH ? AS other").bind(1, other.parts_->file).run();
  parts_->database->run(
      "BEGIN IMMEDIATE;"
      "INSERT OR IGNORE INTO main.question(identity, version, title, scenario, asked, begun, points)"
      " SELECT identity, version, title, scenario, asked, begun, points FROM other.question ORDER BY id;"
      "INSERT OR IGNORE INTO main.point(question, number, outcome, numbers, text)"
      " SELECT mine.id, number, outcome, numbers, text FROM other.point"
      " JOIN other.question AS theirs ON theirs.id = other.point.question"
      " JOIN main.question AS mine ON mine.identity = theirs.identity AND mine.version = theirs.version;"
      "COMMIT;"
      "DETACH other;");
}

void ResultStore::flush() { parts_->write_waiting(); }

}  // namespace trainyard
