// Work of this server that outlives pages: a page that is opened again finds it, its progress and its answer,
// by the interface below /api/jobs (docs/guide.md).
#pragma once

#include <boost/asio/io_context.hpp>
#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard::serving {

class House;
class Job;
struct QuestionKind;

/// Kept at a time, the oldest that have ended go first: numbers of them, and bytes of their questions and
/// answers.
constexpr std::size_t kMostJobs = 64;
constexpr std::size_t kMostJobBytes = 256'000'000;

struct JobReply {
  unsigned status = 200;
  std::string body;
};

class Jobs {
 public:
  Jobs(boost::asio::io_context& io, House& house) : io_(&io), house_(&house) {}

  /// Of a path behind "/api/jobs": "" lists them; "/ID" is one with its answer's last line once it has ended;
  /// "/ID/question" is what was asked.
  JobReply get(std::string_view path) const;
  /// "/KIND" begins work; "/ID/cancel" and "/ID/forget" end it.
  JobReply post(std::string_view path, const std::string& body);
  /// The HTML of what has ended; empty: there is none. Ids are secrets, so that a frame or a tab can
  /// show it without a token.
  std::string page(std::string_view id) const;

 private:
  JobReply begin(const QuestionKind& kind, const std::string& body);
  std::shared_ptr<Job> find(std::string_view id) const;
  void make_room();

  boost::asio::io_context* io_;
  House* house_;
  std::list<std::shared_ptr<Job>> jobs_;  // the oldest first
};

}  // namespace trainyard::serving
