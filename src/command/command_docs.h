// A command's row as COMMAND INFO and COMMAND DOCS show it.
//
// redis-cli aborts on a wrongly typed COMMAND DOCS, and some clients count the elements of a
// COMMAND entry: ten, always.
//
// Threads:  pure functions but for the writer.

#ifndef GUB_COMMAND_COMMAND_DOCS_H_
#define GUB_COMMAND_COMMAND_DOCS_H_

#include "command/command_table.h"
#include "proto/reply_writer.h"

namespace gub {

// The ten elements of COMMAND INFO.
void WriteCommandEntry(const CommandEntry& entry, ReplyWriter* reply);

// The map of COMMAND DOCS, without the name before it.
void WriteCommandDocs(const CommandEntry& entry, ReplyWriter* reply);

// [RW, access, update] or [RO, access]
void WriteKeyFlags(const CommandSpec& spec, ReplyWriter* reply);

// Whether a command is in an ACL category such as "@fast".
bool IsInCategory(const CommandSpec& spec, std::string_view category);

}  // namespace gub

#endif  // GUB_COMMAND_COMMAND_DOCS_H_
