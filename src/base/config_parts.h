// What the files that read a configuration share; nobody else includes this.
//
// Threads:  pure functions, but ReadWholeFile and ReadConfigFile, which read a file.
// Errors:   absl::Status; on error *config may hold what came before the fault.

#ifndef GUB_BASE_CONFIG_PARTS_H_
#define GUB_BASE_CONFIG_PARTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/config.h"

namespace gub {

// "PLACE: reason", the form of every error of a configuration.
absl::Status ErrorAt(std::string_view place, std::string_view reason);
absl::Status ErrorAt(std::string_view place, const absl::Status& status);

// What a row's value may be, in words that follow "must be": "from 0 to 65535", "yes or no";
// empty when any text will do.
std::string DescribeValues(const OptionRow& row);

// "unknown option 'prot', did you mean 'port'?"
std::string UnknownOptionReason(std::string_view name);

// The words of a line as redis.conf writes them: separated by spaces, "with \" escapes" or 'plain'
// where they hold spaces. Nothing when a quote is not closed or something sticks to its end.
std::optional<std::vector<std::string>> SplitConfigLine(std::string_view line);

// Whether the line is a comment. (A '#' behind a value is part of the value.)
bool IsConfigComment(std::string_view line);

// One word in the form that SplitConfigLine reads, in quotes only where it must be.
std::string QuoteConfigWord(std::string_view word);

// Sets what the text of a file says. `file` is how errors name it.
absl::Status ApplyConfigText(std::string_view file, std::string_view text, Config* config);

// Appends the contents of the file at `path`. With `regular_only` anything that is no plain file is
// an error: a pipe that was read at the start has nothing more to say, and may never answer.
absl::Status ReadWholeFile(const std::string& path, bool regular_only, std::string* text);

// ApplyConfigText with the contents of the file at `path`.
absl::Status ReadConfigFile(const std::string& path, bool regular_only, Config* config);

}  // namespace gub

#endif  // GUB_BASE_CONFIG_PARTS_H_
