#include "ranks/items.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/threads.h"
#include "ranks/packing.h"
#include "ranks/shared_work.h"
#include "trainyard/ranks.h"

namespace trainyard {
namespace {

/// Nothing where it throws: rank 0 asks again, in order.
std::optional<std::string> answer_if_any(const SharedItems& items, std::uint64_t item) {
  try {
    return items.answer(item);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string packed_answers(const SharedItems& items, Stretch part) {
  Packer pack;
  for (std::uint64_t item = part.begin; item < part.end; ++item) {
    const std::optional<std::string> answer = answer_if_any(items, item);
    pack.put(std::uint64_t{answer.has_value()}).put(std::string_view(answer ? *answer : std::string()));
  }
  return pack.take();
}

class ItemList {
 public:
  ItemList(Ranks& ranks, const SharedItems& items) : ranks_(ranks), items_(items), answers_(items.count) {
    stretches_.begin({0, items.count});
  }

  std::vector<std::string> all() {
    std::atomic<bool> served = false;
    on_threads(2, [&] {
      try {
        if (served.exchange(true)) {
          work();
        } else {
          serve();
        }
      } catch (...) {
        stretches_.stop();
        throw;
      }
    });
    std::vector<std::string> out;
    for (std::uint64_t item = 0; item < items_.count; ++item)
      out.push_back(answers_[item] ? std::move(*answers_[item]) : items_.answer(item));
    return out;
  }

 private:
  void work() {
    while (const auto part = stretches_.take(1)) keep(part->begin, answer_if_any(items_, part->begin));
  }

  void serve() {
    const auto take = [this](Stretch part, const std::string& outcome) {
      Unpacker read(outcome);
      for (std::uint64_t item = part.begin; item < part.end; ++item) {
        const bool any = read.whole() != 0;
        const std::string_view text = read.text();
        keep(item, any ? std::optional<std::string>(text) : std::nullopt);
      }
    };
    ranks_.share({.identity = items_.identity,
                  .stretches = &stretches_,
                  .inform = [](Stretch) { return std::string(); },
                  .take = take,
                  .work = {}});
  }

  void keep(std::uint64_t item, std::optional<std::string> answer) {
    const std::scoped_lock lock(mutex_);
    answers_[item] = std::move(answer);
    if (items_.progress) items_.progress(++done_);
  }

  Ranks& ranks_;
  const SharedItems& items_;
  Stretches stretches_;
  std::mutex mutex_;
  std::vector<std::optional<std::string>> answers_;
  std::uint64_t done_ = 0;
};

}  // namespace

std::vector<std::string> answer_together(Ranks& ranks, const SharedItems& items) {
  if (ranks.leads()) return ItemList(ranks, items).all();
  ranks.share({.identity = items.identity,
               .stretches = nullptr,
               .inform = {},
               .take = {},
               .work = [&](Stretch part, const std::string&) { return packed_answers(items, part); }});
  return {};
}

}  // namespace trainyard
