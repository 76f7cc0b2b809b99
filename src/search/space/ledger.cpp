#include "search/space/ledger.h"

#include <utility>
#include <variant>

namespace trainyard {

Ledger::Ledger(const ScenarioText& text, const SearchQuestion& question,
               const std::vector<FreeSetting>& space, const Points& points)
    : question_(question), points_(points), answers_(space, question), tells_(question) {
  if (!question.store) return;
  stored_.emplace(*question.store, text, question, space, points.count());
  take_stored(*stored_);
}

void Ledger::take_stored(const StoredOutcomes& stored) {
  known_.resize(points_.count());
  stored.each([this](Outcome outcome) {
    const std::uint64_t index = std::visit([](const auto& point) { return point.index; }, outcome);
    if (index >= known_.size() || known_[index]) return;
    known_[index] = true;
    if (auto* point = std::get_if<SearchPoint>(&outcome)) point->choice = points_.choice(index);
    std::visit([this](auto& point) { answers_.add(std::move(point)); }, outcome);
    ++resumed_;
  });
}

bool Ledger::is_known(std::uint64_t place, std::uint64_t index) const {
  if (!told_) return !known_.empty() && known_[index];
  return !told_->known.empty() && told_->known[place - told_begin_];
}

KnownBests Ledger::bests() const {
  const std::scoped_lock lock(mutex_);
  return answers_.bests();
}

void Ledger::keep(DonePoints done, Stretch stretch) {
  const std::scoped_lock lock(mutex_);
  if (told_) return keep_to_tell(std::move(done));
  if (stored_) stored_->keep(done.outcomes);
  for (Outcome& outcome : done.outcomes)
    std::visit([this](auto& point) { answers_.add(std::move(point)); }, outcome);
  answers_.add(done.losses);
  evaluated_ += done.evaluated;
  pruned_ += done.pruned;
  done_ += stretch.end - stretch.begin;
  if (question_.progress) question_.progress(done_, points_.own(), answers_.best());
}

std::string Ledger::information(Stretch stretch) const {
  StretchInformation out;
  out.keeps_all = stored_.has_value();
  for (std::uint64_t place = stretch.begin; !known_.empty() && place < stretch.end; ++place)
    out.known.push_back(known_[points_.spread(place)]);
  const std::scoped_lock lock(mutex_);
  out.bests = answers_.bests();
  return packed(out);
}

void Ledger::take(Stretch stretch, const std::string& outcome) {
  StretchOutcome told = stretch_outcome(outcome, question_);
  for (Outcome& one : told.outcomes) {
    if (auto* point = std::get_if<SearchPoint>(&one)) point->choice = points_.choice(point->index);
  }
  DonePoints done(question_);
  done.outcomes = std::move(told.outcomes);
  done.losses = std::move(told.losses);
  done.evaluated = told.evaluated;
  done.pruned = told.pruned;
  keep(std::move(done), stretch);
}

void Ledger::begin(Stretch stretch, const std::string& information) {
  told_ = stretch_information(information, answers_.bests(), stretch.end - stretch.begin);
  told_begin_ = stretch.begin;
  answers_.learn(told_->bests);
}

std::string Ledger::outcome() { return packed(std::exchange(tells_, StretchOutcome(question_))); }

/// Points that change nothing are not told, but to a store; the answer is the same.
void Ledger::keep_to_tell(DonePoints done) {
  tells_.evaluated += done.evaluated;
  tells_.pruned += done.pruned;
  tells_.losses.add(done.losses, question_.limits);
  for (Outcome& outcome : done.outcomes) {
    auto* point = std::get_if<SearchPoint>(&outcome);
    const bool changes = point && answers_.add(*point);
    if (told_->keeps_all || changes) {
      tells_.outcomes.push_back(std::move(outcome));
    } else if (!point) {
      tells_.losses.add(std::get<LostPoint>(outcome), question_.limits);
    }
  }
}

void Ledger::fill(SearchResult& result) && {
  result.evaluated = evaluated_;
  result.pruned = pruned_;
  result.resumed = resumed_;
  std::move(answers_).fill(result);
}

}  // namespace trainyard
