#include "trainyard/ranks.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "ranks/packing.h"
#include "ranks/shared_work.h"

namespace trainyard {
namespace {

// The first word of a message to rank 0, and of its answer.
enum Word : std::uint64_t { begins, brings, listens, fails, leaves, stretch, over, told, ended };

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Processor time of this process so far.
double cpu_s() {
  constexpr double kMicro = 1e-6;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * kMicro;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string message(Word word, std::string_view text) {
  return Packer().put(word).put(cpu_s()).put(text).take();
}

std::string other_question(int rank, int count) {
  return fmt::format("rank {} of {} asks something else than rank 0: is it another program, or another file?",
                     rank, count);
}

std::string plain_answer(Word word) { return Packer().put(word).take(); }

}  // namespace

Ranks::Ranks(RankLink& link) : link_(link), others_(static_cast<std::size_t>(link.count())) {}

double Ranks::others_cpu_s() const {
  double sum = 0;
  for (const Other& other : others_) sum += other.cpu_s;
  return sum;
}

void Ranks::share(const SharedWork& work) {
  if (leads()) return serve(work);
  work_on(work);
}

void Ranks::work_on(const SharedWork& work) {
  std::string answer = link_.ask(message(begins, work.identity));
  while (true) {
    Unpacker read(answer);
    const std::uint64_t word = read.whole();
    if (word == over) return;
    if (word != stretch) throw RunEnded();
    Stretch part;
    part.begin = read.whole();
    part.end = read.whole();
    answer = link_.ask(message(brings, work.work(part, std::string(read.text()))));
  }
}

void Ranks::serve(const SharedWork& work) {
  const auto all_wait = [&] {
    return std::all_of(others_.begin() + 1, others_.end(), [](const Other& other) { return other.waits; });
  };
  while (!all_wait()) {
    if (work.stretches->stopped()) return;  // end() releases the others
    if (const auto asked = link_.asked()) take(*asked, work);
  }
  answer_all(plain_answer(over));
}

/// All of them wait: nobody is ahead of the others.
void Ranks::answer_all(const std::string& message) {
  for (int rank = 1; rank < count(); ++rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    other = {.cpu_s = other.cpu_s};
    link_.answer(rank, message);
  }
}

/// The rest of a message. Throws where the rank cannot go on.
std::string_view Ranks::read(const RankLink::Asked& asked, std::uint64_t& word) {
  Other& other = others_[static_cast<std::size_t>(asked.rank)];
  other.waits = true;
  Unpacker message(asked.message);
  word = message.whole();
  other.cpu_s = message.real();
  const std::string_view text = message.text();
  if (word != fails && word != leaves) return text;
  other.gone = true;
  other.waits = false;
  link_.answer(asked.rank, plain_answer(ended));
  if (word == fails) throw std::runtime_error(std::string(text));
  throw std::runtime_error(other_question(asked.rank, count()));
}

std::string Ranks::tell_all(const std::string& text) {
  if (!leads()) {
    const std::string answer = link_.ask(message(listens, {}));
    Unpacker read(answer);
    if (read.whole() != told) throw RunEnded();
    return std::string(read.text());
  }
  for (int listening = 1; listening < count();) {
    const auto asked = link_.asked();
    if (!asked) continue;
    std::uint64_t word = 0;
    read(*asked, word);
    if (word != listens) throw std::runtime_error(other_question(asked->rank, count()));
    ++listening;
  }
  answer_all(Packer().put(told).put(std::string_view(text)).take());
  return text;
}

void Ranks::take(const RankLink::Asked& asked, const SharedWork& work) {
  std::uint64_t word = 0;
  const std::string_view text = read(asked, word);
  if (word == listens || (word == begins && text != work.identity))
    throw std::runtime_error(other_question(asked.rank, count()));
  const Other& other = others_[static_cast<std::size_t>(asked.rank)];
  if (word == brings) work.take({other.begin, other.begin + other.size}, std::string(text));
  hand_out(asked.rank, work);
}

void Ranks::hand_out(int rank, const SharedWork& work) {
  Other& other = others_[static_cast<std::size_t>(rank)];
  const auto part = work.stretches->take(next_size(other, work.stretches->left()));
  if (!part) return;  // it waits until all of the work is back
  other.waits = false;
  other.begin = part->begin;
  other.size = part->end - part->begin;
  other.given_ns = now_ns();
  link_.answer(rank, Packer().put(stretch).put(part->begin).put(part->end).put(work.inform(*part)).take());
}

/// As much as takes a tenth of a second, so that messages are few and a kill repeats little; less at the end,
/// so that all end together.
std::uint64_t Ranks::next_size(const Other& other, std::uint64_t left) const {
  constexpr std::uint64_t kFirst = 16;
  constexpr double kWanted_s = 0.1;
  constexpr double kNano = 1e-9;
  constexpr double kMostGrowth = 8;
  std::uint64_t size = kFirst;
  if (other.size > 0) {
    const double took_s = static_cast<double>(now_ns() - other.given_ns) * kNano;
    const double growth = std::clamp(kWanted_s / took_s, 1 / kMostGrowth, kMostGrowth);
    size = static_cast<std::uint64_t>(static_cast<double>(other.size) * growth);
  }
  const std::uint64_t fair = left / (2 * others_.size());
  return std::max<std::uint64_t>(1, std::min(size, fair));
}

void Ranks::end(const std::string& failure) {
  if (!leads()) {
    link_.ask(failure.empty() ? message(leaves, {})
                              : message(fails, fmt::format("{}: {}", link_.name(), failure)));
    return;
  }
  for (int rank = 1; rank < count(); ++rank) {
    if (others_[static_cast<std::size_t>(rank)].waits) link_.answer(rank, plain_answer(ended));
  }
  const auto all_gone = [&] {
    return std::all_of(others_.begin() + 1, others_.end(), [](const Other& other) { return other.gone; });
  };
  while (!all_gone()) {
    const auto asked = link_.asked();
    if (!asked) continue;
    const std::uint64_t word = Unpacker(asked->message).whole();
    others_[static_cast<std::size_t>(asked->rank)].gone = word == leaves || word == fails;
    link_.answer(asked->rank, plain_answer(ended));
  }
}

}  // namespace trainyard
