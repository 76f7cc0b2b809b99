#include "question.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>

#include "bases.h"
#include "settings.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace trainyard::fuzz {
namespace {

constexpr std::size_t kMostBytes = 1 << 14;
constexpr std::size_t kMostSettings = 40;
constexpr std::string_view kFile = "== ";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

[[noreturn]] void complain(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// The first number of a text that is none, as a word of its own.
std::string number_that_is_none(std::string_view text) {
  for (const std::string_view word : {"nan", "inf", "infinite"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool whole = (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
      if (whole) return std::string(text.substr(at - std::min<std::size_t>(at, 60), 120));
    }
  }
  return {};
}

/// Whether a JSON answer is, at its end, within what a failure adds to a step: some waiting may be less by
/// it.
bool within_a_difference(std::string_view answer) {
  const std::size_t begin = answer.rfind("\"failure_cost\": {");
  return begin != std::string_view::npos && answer.find("\n  }", begin) == std::string_view::npos;
}

/// The first time, size, price, power or count below 0 in a JSON answer.
std::string negative(std::string_view text) {
  constexpr std::string_view kBelowZero = "\": -";
  for (std::size_t at = text.find(kBelowZero); at != std::string_view::npos;
       at = text.find(kBelowZero, at + 1)) {
    const std::string_view before = text.substr(0, at);
    for (const std::string_view end :
         {"_s", "_bytes", "_usd", "_w", "devices", "hosts", "switches", "flows"}) {
      if (before.ends_with(end) && !within_a_difference(before))
        return std::string(text.substr(at - std::min<std::size_t>(at, 60), 90));
    }
  }
  return {};
}

void judge(const std::string& answer, std::string_view input) {
  if (!number_that_is_none(input).empty()) return;  // a name of the scenario's
  if (const std::string found = number_that_is_none(answer); !found.empty())
    complain("a number that is none", found);
  if (const std::string found = negative(answer); !found.empty()) complain("below 0", found);
}

/// A refusal says where, what, and can be shown.
void judge(const InputError& refusal) {
  if (refusal.findings().empty()) complain("refused", "without a reason");
  for (const Finding& finding : refusal.findings()) {
    if (finding.message.empty() || !finding.where.source || finding.where.source->name.empty())
      complain("refused without a place or a reason", describe(finding));
  }
  static_cast<void>(describe(refusal.findings()));
}

/// The section of a key that may stand several times; empty: of another.
std::string repeated_section(const std::string& key) {
  for (const Setting& setting : settings()) {
    if (setting.repeated && setting.key == key) return setting.section;
  }
  return {};
}

/// A line as a key and a value; without an equals sign all of it is the key.
std::pair<std::string, std::string> key_and_value(const std::string& line) {
  const std::size_t equals = std::min(line.find('='), line.size());
  std::string key = line.substr(0, equals);
  while (key.ends_with(' ')) key.pop_back();
  const std::size_t value =
      std::min(line.find_first_not_of(' ', std::min(equals + 1, line.size())), line.size());
  return {key, line.substr(value)};
}

/// Settings of sections that may stand several times, as elements over the base's.
class Elements {
 public:
  explicit Elements(const std::map<std::string, Element>& base) : base_(base) {
    for (const auto& [section, element] : base) elements_[section] = {element};
  }

  /// False for a setting of another section.
  bool take(const std::string& key, const std::string& value) {
    const std::string section = repeated_section(key);
    if (section.empty()) return false;
    std::vector<Element>& all = elements_[section];
    const bool again = !seen_.insert(key).second;
    if (all.empty() || again) {
      const auto found = base_.find(section);
      all.push_back(found == base_.end() ? Element{} : found->second);
    }
    all.back()[key.substr(section.size() + 1)] = value;
    return true;
  }

  std::vector<std::string> assignments() const {
    std::vector<std::string> out;
    for (const auto& [section, elements] : elements_) {
      std::string text;
      for (const Element& element : elements) text += (text.empty() ? "" : ", ") + table(element);
      out.push_back(section + "=[" + text + "]");
    }
    return out;
  }

 private:
  static std::string table(const Element& element) {
    std::string out;
    for (const auto& [key, value] : element) out += (out.empty() ? "" : ", ") + key + " = " + value;
    return "{ " + out + " }";
  }

  const std::map<std::string, Element>& base_;
  std::map<std::string, std::vector<Element>> elements_;
  std::set<std::string> seen_;
};

ScenarioText scenario_of(const Question& question) {
  const Base& under = base(question.words.at(asking().words.size()));
  ScenarioText text = under.text;
  Elements elements(under.repeated);
  for (const std::string& setting : question.settings) {
    const auto [key, value] = key_and_value(setting);
    if (!elements.take(key, value)) text.set(key + "=" + value);
  }
  for (const std::string& setting : elements.assignments()) text.set(setting);
  return text;
}

std::string answer(const Question& question) { return asking().answer(question, scenario_of(question)); }

/// An unknown word becomes the first of its choices; the last one names the scenario.
void complete(Question& question) {
  std::vector<std::vector<std::string>> choices = asking().words;
  choices.push_back(base_names());
  question.words.resize(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (std::find(choices[i].begin(), choices[i].end(), question.words[i]) == choices[i].end())
      question.words[i] = choices[i].front();
  }
  if (question.settings.size() > kMostSettings) question.settings.resize(kMostSettings);
}

void ask(std::string_view input) {
  Question question = read_question(input);
  complete(question);
  try {
    const std::string first = answer(question);
    judge(first, input);
    constexpr std::size_t kTwice = 8;  // one in so many is asked again
    if (std::hash<std::string_view>{}(input) % kTwice == 0 && answer(question) != first)
      complain("asked twice", "two answers");
  } catch (const InputError& refusal) {
    judge(refusal);
  } catch (const Infeasible& infeasible) {
    if (infeasible.constraint.empty()) complain("infeasible", "without a constraint");
  } catch (const SimulationStopped&) {
  } catch (const LongEnough&) {
  }
}

Setting drawn_setting(Random& random) {
  constexpr std::size_t kFromCatalog = 16;
  if (below(random, kFromCatalog) == 0) return catalog_setting(random);
  const std::vector<std::string>& sections = asking().sections;
  const bool any = below(random, 4) == 0;
  while (true) {
    const Setting& setting = one_of(settings(), random);
    if (any || std::find(sections.begin(), sections.end(), setting.section) != sections.end()) return setting;
  }
}

std::string assignment(const Setting& setting, Random& random) {
  return setting.key + " = " + value_of(setting.info, random);
}

/// Another value for a key that is there.
void change_value(std::string& line, Random& random) {
  const std::string key = line.substr(0, line.find(' '));
  for (const Setting& setting : settings()) {
    if (setting.key == key) line = assignment(setting, random);
  }
}

void change_words(Question& question, Random& random) {
  complete(question);
  const std::size_t word = below(random, question.words.size());
  question.words[word] = one_of(word < asking().words.size() ? asking().words[word] : base_names(), random);
}

void mutate(Question& question, Random& random) {
  std::vector<std::string>& lines = question.settings;
  switch (lines.empty() ? 0 : below(random, 6)) {
    case 0:
    case 1:
      lines.push_back(assignment(drawn_setting(random), random));
      break;
    case 2:
      change_value(lines[below(random, lines.size())], random);
      break;
    case 3:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size())));
      break;
    case 4:
      lines[below(random, lines.size())] = assignment(drawn_setting(random), random);
      break;
    default:
      change_words(question, random);
  }
}

/// As many bytes of a text as there is room for.
std::size_t put(const std::string& text, std::uint8_t* out, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::memcpy(out, text.data(), size);
  return size;
}

std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

std::shared_ptr<const SourceText> Question::file(const std::string& name) const {
  const auto found = files.find(name);
  if (found == files.end()) return nullptr;
  return std::make_shared<const SourceText>(SourceText{name, found->second});
}

Question read_question(std::string_view text) {
  Question out;
  std::string* file = nullptr;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(kFile)) {
      file = &out.files[line.substr(kFile.size())];
      file->clear();
    } else if (file != nullptr) {
      *file += line + "\n";
    } else if (out.words.empty()) {
      out.words = split(line, ' ');
      if (out.words.empty()) out.words.emplace_back();
    } else if (!line.empty()) {
      out.settings.push_back(line);
    }
  }
  return out;
}

std::string text_of(const Question& question) {
  std::string out;
  for (const std::string& word : question.words) out += (out.empty() ? "" : " ") + word;
  out += "\n";
  for (const std::string& setting : question.settings) out += setting + "\n";
  for (const auto& [name, text] : question.files) out += std::string(kFile) + name + "\n" + text;
  return out;
}

}  // namespace trainyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard::fuzz;
  if (size <= kMostBytes) ask(view(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  using namespace trainyard::fuzz;
  Random random(seed);
  if (below(random, 2) == 0) return LLVMFuzzerMutate(data, size, most);
  Question question = read_question(view(data, size));
  for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) mutate(question, random);
  return put(text_of(question), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t most, unsigned seed) {
  using namespace trainyard::fuzz;
  Random random(seed);
  Question question = read_question(view(data1, size1));
  const Question other = read_question(view(data2, size2));
  for (const std::string& setting : other.settings) {
    if (below(random, 2) == 0) question.settings.push_back(setting);
  }
  for (const auto& [name, text] : other.files) {
    if (below(random, 2) == 0) question.files[name] = text;
  }
  return put(text_of(question), out, most);
}
