// Results of searches, kept in a file (SQLite) so that a run that ended early goes on where it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A question whose points are kept.
struct StoredQuestion {
  std::int64_t id = 0;
  std::string identity;  // of the question: scenario, free settings, objectives, limits
  std::string version;   // of the program and its catalog
  std::string title;
  std::string scenario;
  std::string asked;  // JSON: free settings with their values, names of objectives, texts of limits
  std::string begun;  // UTC
  std::uint64_t points = 0;
  std::uint64_t kept = 0;  // of the points
};

/// One point.
struct StoredPoint {
  std::uint64_t index = 0;
  int outcome = 0;      // src/search/space/: 0 is an answer
  std::string numbers;  // JSON
  std::string text;
};

/// A file of results. What is kept survives the end of the process at any moment, but for the last second.
/// Files that are no store, of another format, or that cannot be written throw InputError or
/// std::runtime_error with the file's name; nothing of theirs is changed.
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

  std::vector<StoredQuestion> questions() const;

  /// The kept points of a question, by index.
  void each_point(std::int64_t question, const std::function<void(const StoredPoint&)>& visit) const;

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
