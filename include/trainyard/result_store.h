// Results of searches, kept in a file (SQLite) so that a run that ended early goes on where it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What SQLite adds to a store's name for its own files beside it.
constexpr std::string_view kBesideStore[] = {"-wal", "-shm", "-journal"};

/// The files beside a store, whether they are there or not.
std::vector<std::string> files_beside_store(const std::string& path);

/// A free setting with its values, as TOML.
struct StoredSetting {
  std::string key;
  std::vector<std::string> values;
};

/// What a question asks.
struct StoredAsked {
  std::vector<StoredSetting> free;
  std::vector<std::string> objectives;    // "training_time_s"; "-" before it where more is better
  std::vector<std::string> limits;        // as written
  std::vector<std::string> limited;       // of each limit, what it is about: "power_w"; empty in older stores
  std::vector<std::string> changes = {};  // of the scenario, beside its file: "mapping.tensor=8"
};

/// The same as JSON, as it is kept.
std::string asked_text(const StoredAsked& asked);

/// A question whose points are kept.
struct StoredQuestion {
  std::int64_t id = 0;
  std::string identity;  // of the question: scenario, free settings, objectives, limits
  std::string version;   // of the program and its catalog
  std::string title;
  std::string scenario;
  StoredAsked asked;
  std::string begun;  // UTC
  std::uint64_t points = 0;
  std::uint64_t kept = 0;  // of the points
};

enum class StoredOutcome : std::uint8_t { answer, refused, infeasible, beyond_limits };

/// One point.
struct StoredPoint {
  std::uint64_t index = 0;
  StoredOutcome outcome = StoredOutcome::answer;
  std::vector<double> objectives = {};  // of an answer
  std::vector<double> limited = {};     // what each limit is about; NaN where it is not known
};

/// A file of results. What is kept survives the end of the process at any moment, but for the last second.
/// Files that are no store, of another format, damaged or changed by others, or that may not be written throw
/// InputError with the file's name; nothing of theirs is changed. What the machine fails at (a disk that is
/// full) throws std::runtime_error.
class ResultStore {
 public:
  /// Opens a store; one that is not there is made with the first question.
  static ResultStore open(const std::string& path);
  /// Opens one that exists, to read.
  static ResultStore read(const std::string& path);

  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;
  ~ResultStore();

  /// The stored question of this identity and version, made if it is not there yet; its id, begun and kept
  /// are set.
  StoredQuestion question(StoredQuestion asked);

  /// As the user named it.
  const std::string& path() const;

  std::vector<StoredQuestion> questions() const;

  /// The kept points of a question, by index. Throws InputError for the first that no search writes.
  void each_point(const StoredQuestion& question, const std::function<void(const StoredPoint&)>& visit) const;

  /// Takes over the questions of another store and those of their points that this one lacks. Throws
  /// InputError where the file is no store.
  void take_over(const std::string& path);

  /// Keeps points of a question; on disk within a second, or by flush() and the end.
  void keep(std::int64_t question, std::span<const StoredPoint> points);
  void flush();

 private:
  struct Parts;
  explicit ResultStore(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace trainyard
