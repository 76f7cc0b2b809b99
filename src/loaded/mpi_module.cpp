// The module with MPI.

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "loaded/exported.h"
#include "trainyard/ranks.h"

namespace trainyard {
namespace {

constexpr int kTag = 15;

/// Sleeps longer and longer: MPI itself would wait at the full rate of a core.
class Patience {
 public:
  void pause() {
    constexpr std::chrono::microseconds kLongest{1000};
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, kLongest);
  }

 private:
  std::chrono::microseconds next_{20};
};

class MpiLink : public RankLink {
 public:
  explicit MpiLink(int count) {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    std::string wrong;
    if (count_ != count)
      wrong = fmt::format(
          "MPI knows of {} rank(s), and the launcher started {}: is it the mpirun of another "
          "MPI, or srun without --mpi=pmix?",
          count_, count);
    else if (given < MPI_THREAD_SERIALIZED)
      wrong = "this MPI serves one thread only";
    if (wrong.empty()) return;
    MPI_Finalize();
    throw std::runtime_error(wrong);
  }
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;
  ~MpiLink() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string name() const override {
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    int length = 0;
    MPI_Get_processor_name(host.data(), &length);
    return fmt::format("rank {} of {} on {}", rank_, count_, host.data());
  }

  std::optional<Asked> asked() override {
    int from = 0;
    auto message = received(MPI_ANY_SOURCE, from);
    if (!message) {
      patience_.pause();
      return std::nullopt;
    }
    patience_ = {};
    return Asked{from, std::move(*message)};
  }

  void answer(int rank, const std::string& message) override { send(rank, message); }

  std::string ask(const std::string& message) override {
    send(0, message);
    Patience patience;
    while (true) {
      int from = 0;
      if (auto answer = received(0, from)) return std::move(*answer);
      patience.pause();
    }
  }

 private:
  static void send(int rank, const std::string& message) {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_CHAR, rank, kTag, MPI_COMM_WORLD);
  }

  static std::optional<std::string> received(int source, int& from) {
    int any = 0;
    MPI_Status status{};
    MPI_Iprobe(source, kTag, MPI_COMM_WORLD, &any, &status);
    if (any == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    from = status.MPI_SOURCE;
    std::string message(static_cast<std::size_t>(size), '\0');
    MPI_Recv(message.data(), size, MPI_CHAR, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  int rank_ = 0;
  int count_ = 1;
  Patience patience_;
};

}  // namespace

}  // namespace trainyard

extern "C" {

TY_EXPORTED extern const char trainyard_module_version[] = TRAINYARD_VERSION;

/// For the caller to delete.
TY_EXPORTED trainyard::RankLink* trainyard_mpi_link(int count) { return new trainyard::MpiLink(count); }

}  // extern "C"
