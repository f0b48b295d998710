// main() of a fuzz target where there is no libFuzzer.
//
//   x_fuzz [FILE|FOLDER]...
//
// Runs the target on each file (folders: all files in them, sorted), and then for GUB_FUZZ_SECONDS
// (5) on random changes of these. It prints the seed; GUB_FUZZ_SEED repeats a run. An input on
// which the target aborts is written to crash-<target> in the working folder. Exit codes: 0 nothing
// broke, 1 a file cannot be read; else the target's.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxInputBytes = 4096;

// What a signal handler can reach.
const std::string* current_input = nullptr;
std::string crash_path;

// Not async-signal-safe, but the target has stopped and nothing goes on after this.
extern "C" void KeepInput(int signal) {
  std::ofstream(crash_path, std::ios::binary) << *current_input;
  std::fprintf(stderr, "the input is in %s\n", crash_path.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void RunTarget(const std::string& input) {
  current_input = &input;
  // A copy of exactly its size, so that reading past the end is seen.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  Mutator(uint64_t seed, std::vector<std::string> corpus)
      : random_(seed), corpus_(std::move(corpus)) {
    if (corpus_.empty()) corpus_.emplace_back();
  }

  std::string Next() {
    std::string input = corpus_[Below(corpus_.size())];
    for (size_t changes = 1 + Below(8); changes > 0; --changes) Change(&input);
    if (input.size() > kMaxInputBytes) input.resize(kMaxInputBytes);
    return input;
  }

 private:
  size_t Below(size_t n) { return static_cast<size_t>(random_() % n); }

  // Half of the bytes are ones that the corpus has.
  char Byte() {
    const std::string& known = corpus_[Below(corpus_.size())];
    if (known.empty() || Below(2) == 0) return static_cast<char>(random_());
    return known[Below(known.size())];
  }

  // A piece of up to 32 bytes.
  std::string Piece(const std::string& of) {
    if (of.empty()) return "";
    return of.substr(Below(of.size()), 1 + Below(32));
  }

  void Change(std::string* input) {
    const size_t at = Below(input->size() + 1);
    switch (Below(6)) {
      case 0:  // flip a bit
        if (at < input->size()) (*input)[at] = static_cast<char>((*input)[at] ^ (1 << Below(8)));
        break;
      case 1:  // replace a byte
        if (at < input->size()) (*input)[at] = Byte();
        break;
      case 2:
        input->insert(at, 1, Byte());
        break;
      case 3:
        input->erase(at, 1 + Below(8));
        break;
      case 4:  // repeat a piece of it
        input->insert(at, Piece(*input));
        break;
      default:  // splice in a piece of another
        input->insert(at, Piece(corpus_[Below(corpus_.size())]));
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_;
};

std::optional<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<fs::path> FilesOf(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

uint64_t NumberFromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  crash_path = "crash-" + fs::path(argv[0]).filename().string();
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    std::signal(signal, KeepInput);
  }

  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : FilesOf(argv[i])) {
      const std::optional<std::string> input = ReadFile(path);
      if (!input) {
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
        return 1;
      }
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      RunTarget(*input);
      corpus.push_back(*input);
    }
  }

  const uint64_t seed = NumberFromEnvironment("GUB_FUZZ_SEED", std::random_device()());
  const std::chrono::seconds time(NumberFromEnvironment("GUB_FUZZ_SECONDS", 5));
  std::printf("GUB_FUZZ_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  Mutator mutator(seed, std::move(corpus));
  uint64_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + time;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    const std::string input = mutator.Next();
    RunTarget(input);
  }
  std::printf("%llu random inputs\n", static_cast<unsigned long long>(runs));
  return 0;
}
