// Runs a fuzz target over its corpus without libFuzzer, so that every build and compiler exercises it:
//   fuzz_<name> <folder or file>... [<seconds>]
// Each file of a folder is run as it is and in mutations, the fuzzer's own where it has some: 4,000 over the
// folder that depend on nothing but its bytes, in 5 seconds of the processor at most (1.5 without sanitizers,
// which see more of the same inputs); or as many as there are in the given seconds, others each time. The
// input in hand is kept in fuzz_<name>.input; after a crash it is there to be run again, by giving that file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// What libFuzzer calls where a fuzzer has it.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t most, unsigned seed);
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1,
                                                                       std::size_t size1,
                                                                       const std::uint8_t* data2,
                                                                       std::size_t size2, std::uint8_t* out,
                                                                       std::size_t most, unsigned seed);

namespace {

using Bytes = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

constexpr std::size_t kMutations = 4000;   // over the whole corpus
constexpr std::size_t kLargest = 1 << 16;  // bytes of a mutated input
#if defined(__SANITIZE_ADDRESS__)
constexpr double kLongest = 5;  // seconds of the processor
#else
constexpr double kLongest = 1.5;
#endif

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// Runs inputs, keeping the one in hand in a file, and remembers the longest.
class Runner {
 public:
  explicit Runner(std::filesystem::path kept) : kept_(std::move(kept)) {}

  void run(const Bytes& input) {
    std::ofstream(kept_, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    const double start = processor_seconds();
    LLVMFuzzerTestOneInput(input.data(), input.size());
    const double taken = processor_seconds() - start;
    if (taken > std::max(longest_, kSlow)) std::filesystem::copy_file(kept_, slow_, kOverwrite);
    longest_ = std::max(longest_, taken);
    ++runs_;
  }
  void done() const {
    std::filesystem::remove(kept_);
    std::printf("%zu inputs, the longest in %.2f s\n", runs_, longest_);
  }

 private:
  static constexpr double kSlow = 2;  // seconds of the processor
  static constexpr auto kOverwrite = std::filesystem::copy_options::overwrite_existing;

  std::filesystem::path kept_;
  std::filesystem::path slow_ = kept_.string() + ".slow";
  std::size_t runs_ = 0;
  double longest_ = 0;  // seconds
};

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

/// One small change: a bit, a byte, a piece removed, doubled, or taken from another input.
void mutate_once(Bytes& input, const Bytes& other, Random& random) {
  constexpr std::string_view kTelling = "=\"'[]{},.#\n\\-+_0e\x00\x7f\xff";
  const auto at = [&] {
    return input.begin() + static_cast<std::ptrdiff_t>(below(random, input.size() + 1));
  };
  const auto telling = static_cast<std::uint8_t>(kTelling[below(random, kTelling.size())]);
  if (input.empty()) {
    input.push_back(telling);
    return;
  }
  auto first = at();
  auto last = at();
  if (last < first) std::swap(first, last);
  switch (below(random, 5)) {
    case 0:
      input[below(random, input.size())] ^= static_cast<std::uint8_t>(1u << below(random, 8));
      break;
    case 1:
      input.insert(first, telling);
      break;
    case 2:
      input.erase(first, last);
      break;
    case 3: {
      const Bytes piece(first, last);
      input.insert(at(), piece.begin(), piece.end());
      break;
    }
    default:
      input.insert(first, other.begin(),
                   other.begin() + static_cast<std::ptrdiff_t>(below(random, other.size() + 1)));
  }
  input.resize(std::min(input.size(), kLargest));
}

/// The fuzzer's own change, into `input`.
void mutate_as_it_says(Bytes& input, const Bytes& other, Random& random) {
  Bytes out(kLargest);
  const auto seed = static_cast<unsigned>(random());
  std::size_t size = 0;
  if (LLVMFuzzerCustomCrossOver != nullptr && below(random, 4) == 0) {
    size = LLVMFuzzerCustomCrossOver(input.data(), input.size(), other.data(), other.size(), out.data(),
                                     out.size(), seed);
  } else {
    std::copy(input.begin(), input.end(), out.begin());
    size = LLVMFuzzerCustomMutator(out.data(), input.size(), out.size(), seed);
  }
  input.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
}

Bytes mutated(const std::vector<Bytes>& corpus, std::size_t which, Random& random) {
  Bytes input = corpus[which % corpus.size()];
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    const Bytes& other = corpus[below(random, corpus.size())];
    if (LLVMFuzzerCustomMutator != nullptr) {
      mutate_as_it_says(input, other, random);
    } else {
      mutate_once(input, other, random);
    }
  }
  return input;
}

/// How many mutations, and for how long.
struct Limits {
  std::size_t mutations = kMutations;
  double longest = kLongest;
  std::uint64_t seed = 20241118;
};

/// Runs the files of a folder and their mutations.
void replay(const std::filesystem::path& folder, const Limits& limits, Runner& runner) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus = {Bytes{}};
  for (const auto& path : paths) corpus.push_back(read(path));
  for (const Bytes& input : corpus) runner.run(input);

  const double start = processor_seconds();
  Random random(limits.seed);
  for (std::size_t i = 0; i < limits.mutations && processor_seconds() - start < limits.longest; ++i)
    runner.run(mutated(corpus, i, random));
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

/// libFuzzer's own change, for fuzzers that leave some of them to it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static Random random(1);
  Bytes input(data, data + size);
  mutate_once(input, input, random);
  input.resize(std::min(input.size(), most));
  std::copy(input.begin(), input.end(), data);
  return input.size();
}

int main(int argc, char** argv) {
  const std::filesystem::path program = argv[0];
  Runner runner(program.filename().string() + ".input");
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Limits limits;
  if (!arguments.empty() && is_number(arguments.back())) {
    limits = {~std::size_t{0}, std::stod(arguments.back()), std::random_device()()};
    arguments.pop_back();
  }
  for (const std::string& argument : arguments) {
    if (std::filesystem::is_directory(argument)) {
      replay(argument, limits, runner);
    } else if (std::filesystem::is_regular_file(argument)) {
      runner.run(read(argument));
    } else {
      std::fprintf(stderr, "%s: there is no file or folder %s\n", argv[0], argument.c_str());
      return 2;
    }
  }
  runner.done();
  return 0;
}
