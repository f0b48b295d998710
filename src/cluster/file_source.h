// FileSource: the members that a file names, separated by spaces or ends of lines; what follows a
// '#' is a comment.
//
// The file is looked at every kLookMs, so that it may be replaced, on whatever file system, linked
// elsewhere or not be there yet. One that has changed is read when it has stayed the same from one
// look to the next: whoever writes it at length is not read half-way.
//
// Errors:   a file that is not there or cannot be read is trouble, and so is one that names no
//           member or holds a line that cannot be read; each is told once.

#ifndef GUB_CLUSTER_FILE_SOURCE_H_
#define GUB_CLUSTER_FILE_SOURCE_H_

#include <sys/stat.h>

#include <functional>
#include <string>

#include "cluster/member_source.h"
#include "net/timer.h"

namespace gub {

class FileSource : public MemberSource {
 public:
  static constexpr int64_t kLookMs = 500;
  // A longer file is taken for the wrong one.
  static constexpr size_t kMaxBytes = 1024 * 1024;

  FileSource(Loop* loop, std::string path, int default_port);

  void Start(OnMembers on_members, OnTrouble on_trouble) override;
  void Leave(std::function<void()> on_done) override;

 private:
  // What tells one state of a file from another.
  struct State {
    int error = 0;  // errno of the look; the rest is 0 then
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  State LookAt() const;
  void Look();
  void Read();

  const std::string path_;
  const int default_port_;
  OnMembers on_members_;
  OnTrouble on_trouble_;
  Timer look_;
  bool looked_ = false;
  State seen_;  // by the last look
  State read_;  // when it was read
};

}  // namespace gub

#endif  // GUB_CLUSTER_FILE_SOURCE_H_
