#include "command/connection_commands.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "command/context.h"
#include "command/errors.h"

namespace gub {

namespace {

// What a subscription costs beside its bytes.
constexpr size_t kChannelBytes = sizeof(std::string) + 48;

// [kind, channel, how many there are now]; channel is nil for none.
void WriteSubscription(CommandContext& context, std::string_view kind,
                       const std::string_view* channel) {
  ReplyWriter& reply = context.reply();
  reply.Push(3);
  reply.Bulk(kind);
  if (channel == nullptr) {
    reply.Null();
  } else {
    reply.Bulk(*channel);
  }
  reply.Integer(static_cast<int64_t>(context.client().channels.size()));
}

void CountSubscriptions(ClientState* client) {
  client->record->subscriptions = static_cast<int64_t>(client->channels.size());
}

void Unsubscribe(CommandContext& context, std::string_view channel) {
  ClientState& client = context.client();
  if (client.channels.erase(std::string(channel)) != 0) {
    client.channel_bytes -= channel.size() + kChannelBytes;
  }
  WriteSubscription(context, "unsubscribe", &channel);
}

}  // namespace

void PingCommand(CommandContext& context) {
  const Args args = context.args();
  if (args.size() > 2) return context.Error(WrongArityText(context.entry()));
  const ClientState& client = context.client();
  if (client.IsSubscribed() && client.version == RespVersion::k2) {
    context.reply().Array(2);
    context.reply().Bulk("pong");
    return context.reply().Bulk(args.size() == 2 ? args[1] : "");
  }
  if (args.size() == 2) return context.reply().Bulk(args[1]);
  context.reply().SimpleString("PONG");
}

void EchoCommand(CommandContext& context) { context.reply().Bulk(context.args()[1]); }

void QuitCommand(CommandContext& context) {
  context.client().close = true;
  context.reply().Ok();
}

void SelectCommand(CommandContext& context) {
  const std::optional<int64_t> index = ParseInt64(context.args()[1]);
  if (!index) return context.Error(kNotAnInteger);
  if (*index != 0) return context.Error("ERR DB index is out of range");
  context.reply().Ok();
}

// One reply for each channel. Channels count towards client-query-buffer-limit.
void SubscribeCommand(CommandContext& context) {
  ClientState& client = context.client();
  const Args channels = context.args().subspan(1);
  size_t bytes = client.channel_bytes;
  for (std::string_view channel : channels) bytes += channel.size() + kChannelBytes;
  if (bytes > static_cast<size_t>(context.config().client_query_buffer_limit_bytes)) {
    return context.Error("ERR the subscriptions are larger than client-query-buffer-limit");
  }
  for (std::string_view channel : channels) {
    if (client.channels.emplace(channel).second) {
      client.channel_bytes += channel.size() + kChannelBytes;
    }
    WriteSubscription(context, "subscribe", &channel);
  }
  CountSubscriptions(&client);
}

void UnsubscribeCommand(CommandContext& context) {
  ClientState& client = context.client();
  const Args channels = context.args().subspan(1);
  for (std::string_view channel : channels) Unsubscribe(context, channel);
  if (channels.empty() && client.channels.empty()) {
    WriteSubscription(context, "unsubscribe", nullptr);
  }
  while (channels.empty() && !client.channels.empty()) {
    Unsubscribe(context, std::string(*client.channels.begin()));
  }
  CountSubscriptions(&client);
}

void DropSubscriptions(ClientState* client) {
  client->channels.clear();
  client->channel_bytes = 0;
  CountSubscriptions(client);
}

}  // namespace gub
