#include "command/connection_commands.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

namespace {

// What a name may consist of, so that it can stand in a line of CLIENT LIST.
bool IsOneWord(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

// HELLO [version [SETNAME name]…]
struct HelloArguments {
  RespVersion version;
  std::optional<std::string_view> name;
};

// Nothing when the arguments are wrong, which is answered then.
std::optional<HelloArguments> ParseHello(CommandContext& context) {
  const Args args = context.args();
  HelloArguments hello{context.client().version, std::nullopt};
  if (args.size() == 1) return hello;
  const std::optional<int64_t> version = ParseInt64(args[1]);
  if (!version) {
    context.Error("ERR Protocol version is not an integer or out of range");
    return std::nullopt;
  }
  if (*version != 2 && *version != 3) {
    context.Error(kNoProtocol);
    return std::nullopt;
  }
  hello.version = *version == 3 ? RespVersion::k3 : RespVersion::k2;
  for (size_t i = 2; i < args.size(); i += 2) {
    if (!EqualsIgnoreCase(args[i], "SETNAME") || i + 1 == args.size()) {
      context.Error(fmt::format("ERR Syntax error in HELLO option '{}'", Escape(args[i])));
      return std::nullopt;
    }
    if (!IsOneWord(args[i + 1])) {
      context.Error("ERR Client names cannot contain spaces, newlines or special characters.");
      return std::nullopt;
    }
    hello.name = args[i + 1];
  }
  return hello;
}

}  // namespace

void PingCommand(CommandContext& context) {
  const Args args = context.args();
  if (args.size() > 2) return context.Error(WrongArityText(context.entry()));
  if (args.size() == 2) return context.reply().Bulk(args[1]);
  context.reply().SimpleString("PONG");
}

void EchoCommand(CommandContext& context) { context.reply().Bulk(context.args()[1]); }

void QuitCommand(CommandContext& context) {
  context.client().close = true;
  context.reply().Ok();
}

void HelloCommand(CommandContext& context) {
  const std::optional<HelloArguments> hello = ParseHello(context);
  if (!hello) return;
  ClientState& client = context.client();
  client.version = hello->version;
  if (hello->name) client.name = *hello->name;
  ReplyWriter& reply = context.reply();
  reply.set_version(client.version);
  const auto field = [&reply](std::string_view name, std::string_view value) {
    reply.Bulk(name);
    reply.Bulk(value);
  };
  reply.Map(7);
  field("server", "redis");
  field("version", kRedisVersion);
  reply.Bulk("proto");
  reply.Integer(static_cast<int64_t>(client.version));
  reply.Bulk("id");
  reply.Integer(client.id);
  field("mode", "standalone");
  field("role", "master");
  reply.Bulk("modules");
  reply.Array(0);
}

void SelectCommand(CommandContext& context) {
  const std::optional<int64_t> index = ParseInt64(context.args()[1]);
  if (!index) return context.Error("ERR value is not an integer or out of range");
  if (*index != 0) return context.Error("ERR DB index is out of range");
  context.reply().Ok();
}

void ClientIdCommand(CommandContext& context) { context.reply().Integer(context.client().id); }

void ClientGetNameCommand(CommandContext& context) {
  const std::string& name = context.client().name;
  if (name.empty()) return context.reply().Null();
  context.reply().Bulk(name);
}

void ClientSetNameCommand(CommandContext& context) {
  const std::string_view name = context.args()[2];
  if (!IsOneWord(name)) {
    return context.Error("ERR Client names cannot contain spaces, newlines or special characters.");
  }
  context.client().name = name;
  context.reply().Ok();
}

void ClientSetInfoCommand(CommandContext& context) {
  const std::string_view attribute = context.args()[2];
  const std::string_view value = context.args()[3];
  std::string* field = nullptr;
  if (EqualsIgnoreCase(attribute, "LIB-NAME")) field = &context.client().lib_name;
  if (EqualsIgnoreCase(attribute, "LIB-VER")) field = &context.client().lib_version;
  if (field == nullptr) {
    return context.Error(fmt::format("ERR Unrecognized option '{}'", Escape(attribute)));
  }
  if (!IsOneWord(value)) {
    return context.Error(fmt::format(
        "ERR {} cannot contain spaces, newlines or special characters.", ToLower(attribute)));
  }
  *field = value;
  context.reply().Ok();
}

}  // namespace gub
