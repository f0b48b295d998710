// ScratchDir: a folder for a test's files, gone with the object.

#ifndef GUB_TESTS_DISCOVERY_SCRATCH_DIR_H_
#define GUB_TESTS_DISCOVERY_SCRATCH_DIR_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace gub {

class ScratchDir {
 public:
  ScratchDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gub-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~ScratchDir() { std::filesystem::remove_all(path_); }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }

  // In place, as an editor of little care does.
  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::trunc) << text;
  }
  // In one step.
  void Replace(std::string_view name, std::string_view text) const {
    Write("new", text);
    std::filesystem::rename(Path("new"), Path(name));
  }

 private:
  std::string path_;
};

}  // namespace gub

#endif  // GUB_TESTS_DISCOVERY_SCRATCH_DIR_H_
