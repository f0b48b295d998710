// A directory of its own for a test's files, gone with the object.

#ifndef GUB_TESTS_UNIT_BASE_TEMP_DIR_H_
#define GUB_TESTS_UNIT_BASE_TEMP_DIR_H_

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace gub {

class TempDir {
 public:
  TempDir() {
    std::string pattern = testing::TempDir() + "gub_test_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

 private:
  std::string path_;
};

inline std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace gub

#endif  // GUB_TESTS_UNIT_BASE_TEMP_DIR_H_
