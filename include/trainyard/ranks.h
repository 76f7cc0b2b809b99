// Processes that answer one question together, as `mpirun -n 8 trainyard search` starts them.
//
// All of them ask the same question. Rank 0 leads: it hands out stretches of the work to those that are free,
// gathers what comes out, and alone has the answer.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct SharedWork;

/// How the ranks of a run reach each other. One thread of a process at a time uses it.
class RankLink {
 public:
  virtual ~RankLink() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// "rank 3 of 8 on node17", for messages.
  virtual std::string name() const = 0;

  struct Asked {
    int rank = 0;
    std::string message;
  };
  /// Of rank 0: what another rank asks, if one does within a moment.
  virtual std::optional<Asked> asked() = 0;
  /// Of rank 0: what the rank that asked waits for.
  virtual void answer(int rank, const std::string& message) = 0;
  /// Of the others: asks rank 0 and waits for the answer.
  virtual std::string ask(const std::string& message) = 0;
};

/// Thrown on the other ranks when rank 0 has ended, with an answer or without one.
class RunEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "rank 0 has ended the run"; }
};

/// The ranks of a run, from inside one of them.
class Ranks {
 public:
  explicit Ranks(RankLink& link);

  bool leads() const { return link_.rank() == 0; }
  int count() const { return link_.count(); }

  /// Every rank calls it for the same work, in the same order. On rank 0 it serves the others until all of
  /// the work is back; on the others it works. Throws on rank 0 what went wrong elsewhere (std::runtime_error
  /// with the rank's name), on the others RunEnded.
  void share(const SharedWork& work);

  /// Rank 0's text, on every rank. All call it, in the same order as `share`.
  std::string tell_all(const std::string& text);

  /// Processor time of the other ranks, as of their last messages.
  double others_cpu_s() const;

  /// The last call: on rank 0 it waits for all others, which are told to end; on the others it says what went
  /// wrong, if something did.
  void end(const std::string& failure = {});

 private:
  struct Other {
    bool waits = false;       // for an answer
    std::uint64_t size = 0;   // of the stretch that it has, or had
    std::uint64_t begin = 0;  // of that stretch
    std::int64_t given_ns = 0;
    double cpu_s = 0;
    bool gone = false;
  };

  void serve(const SharedWork& work);
  void answer_all(const std::string& message);
  void work_on(const SharedWork& work);
  void take(const RankLink::Asked& asked, const SharedWork& work);
  std::string_view read(const RankLink::Asked& asked, std::uint64_t& word);
  void hand_out(int rank, const SharedWork& work);
  std::uint64_t next_size(const Other& other, std::uint64_t left) const;

  RankLink& link_;
  std::vector<Other> others_;  // by rank; rank 0 unused
};

}  // namespace trainyard
