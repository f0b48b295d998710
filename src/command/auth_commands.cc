#include "command/auth_commands.h"

#include <optional>
#include <string>
#include <utility>

#include "base/secret.h"
#include "base/text.h"
#include "command/client_commands.h"
#include "command/connection_commands.h"
#include "command/context.h"
#include "command/errors.h"
#include "command/transaction_commands.h"
#include "fmt/format.h"

namespace gub {

namespace {

constexpr std::string_view kUser = "default";

// As Redis: without a password the user may come with any.
bool IsUser(const Config& config, std::string_view user, std::string_view password) {
  if (user != kUser) return false;
  return config.requirepass.empty() || IsSecret(password, config.requirepass);
}

// HELLO [version [AUTH user password | SETNAME name]…]; the last of each counts.
struct HelloArguments {
  RespVersion version;
  std::optional<std::pair<std::string_view, std::string_view>> auth;
  std::optional<std::string_view> name;
};

// Nothing when the arguments are wrong, which is answered then.
std::optional<HelloArguments> ParseHello(CommandContext& context) {
  const Args args = context.args();
  HelloArguments hello{context.client().version, std::nullopt, std::nullopt};
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
  for (size_t i = 2; i < args.size();) {
    const size_t left = args.size() - i - 1;
    if (EqualsIgnoreCase(args[i], "AUTH") && left >= 2) {
      hello.auth.emplace(args[i + 1], args[i + 2]);
      i += 3;
    } else if (EqualsIgnoreCase(args[i], "SETNAME") && left >= 1) {
      const std::string why_not = WhyNoClientName(args[i + 1]);
      if (!why_not.empty()) {
        context.Error(why_not);
        return std::nullopt;
      }
      hello.name = args[i + 1];
      i += 2;
    } else {
      context.Error(fmt::format("ERR Syntax error in HELLO option '{}'", Escape(args[i])));
      return std::nullopt;
    }
  }
  return hello;
}

void WriteHello(CommandContext& context) {
  ReplyWriter& reply = context.reply();
  const auto field = [&reply](std::string_view name, std::string_view value) {
    reply.Bulk(name);
    reply.Bulk(value);
  };
  reply.Map(7);
  field("server", "redis");
  field("version", kRedisVersion);
  reply.Bulk("proto");
  reply.Integer(static_cast<int64_t>(context.client().version));
  reply.Bulk("id");
  reply.Integer(context.client().id());
  field("mode", context.node().cluster == nullptr ? "standalone" : "cluster");
  field("role", "master");
  reply.Bulk("modules");
  reply.Array(0);
}

void SetVersion(CommandContext& context, RespVersion version) {
  context.client().version = version;
  context.client().record->resp = static_cast<int>(version);
  context.reply().set_version(version);
}

}  // namespace

// AUTH [user] password
void AuthCommand(CommandContext& context) {
  const Args args = context.args();
  if (args.size() > 3) return context.Error(kSyntaxError);
  if (args.size() == 2 && context.config().requirepass.empty()) {
    return context.Error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const std::string_view user = args.size() == 3 ? args[1] : kUser;
  if (!IsUser(context.config(), user, args.back())) return context.Error(kWrongPass);
  context.client().authenticated = true;
  context.reply().Ok();
}

void HelloCommand(CommandContext& context) {
  const std::optional<HelloArguments> hello = ParseHello(context);
  if (!hello) return;
  ClientState& client = context.client();
  if (hello->auth) {
    if (!IsUser(context.config(), hello->auth->first, hello->auth->second)) {
      return context.Error(kWrongPass);
    }
    client.authenticated = true;
  }
  if (!client.authenticated && !context.config().requirepass.empty()) {
    return context.Error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
  }
  if (hello->name) SetClientName(&client, *hello->name);
  SetVersion(context, hello->version);
  WriteHello(context);
}

// As if the client had just connected; but its library's name stays.
void ResetCommand(CommandContext& context) {
  ClientState& client = context.client();
  EndTransaction(&client, &context.node().watch);
  DropSubscriptions(&client);
  if (client.reply_mode == ReplyMode::kOff) client.reply_mode = ReplyMode::kOn;
  client.authenticated = context.config().requirepass.empty();
  client.record->no_evict = false;
  SetClientName(&client, "");
  SetVersion(context, RespVersion::k2);
  context.reply().SimpleString("RESET");
}

}  // namespace gub
