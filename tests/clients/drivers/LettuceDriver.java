// Lettuce: LettuceDriver HOST PORT PASSWORD_PORT PASSWORD

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.ObjectOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

final class LettuceDriver {
  static final ProtocolKeyword HIT = () -> "GUB.HIT".getBytes();

  static RedisURI.Builder uri(int port) {
    return RedisURI.builder().withHost(Check.host).withPort(port)
        .withTimeout(Duration.ofSeconds(30));
  }

  static StatefulRedisConnection<String, String> connect(RedisURI.Builder uri,
      ProtocolVersion protocol) {
    RedisClient client = RedisClient.create(uri.build());
    client.setOptions(
        ClientOptions.builder().autoReconnect(false).protocolVersion(protocol).build());
    return client.connect();
  }

  static StatefulRedisConnection<String, String> connect() {
    return connect(uri(Check.port), null);
  }

  static CommandArgs<String, String> words(String key, long hits, long limit) {
    return new CommandArgs<>(StringCodec.UTF8).add(Check.NAME).addKey(key).add(hits).add(limit)
        .add("60s");
  }

  static Object hit(RedisCommands<String, String> commands, String key, long hits, long limit) {
    return commands.dispatch(HIT, new ArrayOutput<>(StringCodec.UTF8), words(key, hits, limit));
  }

  static RedisFuture<List<Object>> hit(RedisAsyncCommands<String, String> commands, String key,
      long hits, long limit) {
    return commands.dispatch(HIT, new ArrayOutput<>(StringCodec.UTF8), words(key, hits, limit));
  }

  static Object recipe(String host, int port) {
    // recipe
    RedisClient gub = RedisClient.create(RedisURI.create(host, port));
    gub.setOptions(ClientOptions.builder().autoReconnect(false).build()); // no hit is sent again
    ProtocolKeyword hit = () -> "GUB.HIT".getBytes();
    CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8)
        .add("logins").addKey("user:42").add(1).add(5).add("1h");
    List<Object> reply =
        gub.connect().sync().dispatch(hit, new ArrayOutput<>(StringCodec.UTF8), words);
    boolean admitted = (Long) reply.get(0) == 0; // get(1): remaining, get(2): reset
    // end of recipe
    Check.equal(admitted, true);
    return reply;
  }

  static Object full(ProtocolVersion protocol) {
    RedisCommands<String, String> commands = connect(uri(Check.port), protocol).sync();
    Check.equal(commands.ping(), "PONG");
    return commands.dispatch(HIT, new ObjectOutput<>(StringCodec.UTF8),
        words("connect", 0, 10).add("FULL"));
  }

  static void connectResp2() {
    Check.equal(((List<?>) full(ProtocolVersion.RESP2)).size(), 14);
  }

  static void connectResp3() {
    Map<?, ?> reply = (Map<?, ?>) full(ProtocolVersion.RESP3);
    Check.equal(List.of(reply.get("status"), reply.get("remaining")), List.of(0L, 10L));
  }

  static void hit() {
    RedisCommands<String, String> commands = connect().sync();
    List<Object> replies = new ArrayList<>();
    for (int i = 0; i < 3; ++i) {
      replies.add(hit(commands, "hit", 1, 10));
      Check.resetWithin(replies.get(i), 61);
    }
    Check.firstHits(replies, 10);
    Check.equal(Check.statusAndRemaining(hit(commands, "hit", 100, 10)), List.of(1L, 7L));
    Check.firstHits(List.of(recipe(Check.host, Check.port)), 5);
  }

  static void pipeline() throws Exception {
    StatefulRedisConnection<String, String> connection = connect();
    connection.setAutoFlushCommands(false);
    List<RedisFuture<List<Object>>> futures = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) {
      futures.add(hit(connection.async(), "pipeline", 1, 600));
    }
    connection.flushCommands();
    List<Object> replies = new ArrayList<>();
    for (RedisFuture<List<Object>> future : futures) {
      replies.add(future.get(30, TimeUnit.SECONDS));
    }
    Check.firstHits(replies, 600);
  }

  static void transaction() throws Exception {
    StatefulRedisConnection<String, String> connection = connect();
    RedisCommands<String, String> commands = connection.sync();
    commands.multi();
    for (int i = 0; i < 3; ++i) {
      hit(commands, "transaction", 1, 10);
    }
    TransactionResult replies = commands.exec();
    Check.equal(replies.size(), 3);
    Check.firstHits(replies.stream().toList(), 10);
    commands.multi();
    hit(commands, "transaction", 1, 10);
    RedisFuture<List<Object>> tooShort = connection.async().dispatch(HIT,
        new ArrayOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8).add("n"));
    Check.fails(commands::exec, "EXECABORT Transaction discarded because of previous errors.");
    Check.fails(() -> tooShort.get(30, TimeUnit.SECONDS), Check.ARITY_ERROR, "EXECABORT");
    Check.equal(Check.statusAndRemaining(hit(commands, "transaction", 0, 10)), List.of(0L, 7L));
  }

  static Object hitAs(RedisURI.Builder uri) {
    return hit(connect(uri, null).sync(), "auth", 1, 10);
  }

  static void auth() throws Exception {
    Check.fails(() -> hitAs(uri(Check.passwordPort)), "NOAUTH ");
    Check.fails(() -> hitAs(uri(Check.passwordPort).withPassword("wrong".toCharArray())),
        "WRONGPASS ");
    Object right = hitAs(uri(Check.passwordPort).withPassword(Check.password.toCharArray()));
    Object user = hitAs(uri(Check.passwordPort).withAuthentication("default", Check.password));
    Check.firstHits(List.of(right, user), 10);
  }

  static void errorReply() {
    RedisCommands<String, String> commands = connect().sync();
    try {
      Check.equal(commands.dispatch(HIT, new ArrayOutput<>(StringCodec.UTF8),
          new CommandArgs<>(StringCodec.UTF8).add("n").addKey("k").add(1).add(-1).add("1s")),
          "an error");
    } catch (RedisCommandExecutionException error) {
      Check.equal(error.getMessage(), Check.LIMIT_ERROR);
    }
    Check.equal(commands.ping(), "PONG");
  }

  static Object hitBytes(RedisCommands<byte[], byte[]> commands, byte[] key) {
    return commands.dispatch(HIT, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(Check.NAME).addKey(key).add(1).add(10)
            .add("60s"));
  }

  static void binaryKey() {
    RedisCommands<byte[], byte[]> commands =
        RedisClient.create(uri(Check.port).build()).connect(ByteArrayCodec.INSTANCE).sync();
    byte[] key = Check.allBytes(255);
    Check.firstHits(List.of(hitBytes(commands, key), hitBytes(commands, key)), 10);
    Check.firstHits(List.of(hitBytes(commands, Check.allBytes(254))), 10);
  }

  static void concurrent() throws Exception {
    RedisCommands<String, String> commands = connect().sync();
    List<Object> replies = Check.thousandTimes(() -> hit(commands, "concurrent", 1, 500));
    Check.equal(Check.admitted(replies), 500L);
  }

  public static void main(String[] arguments) {
    Check.arguments(arguments);
    System.out.println("version " + LettuceVersion.getVersion().replaceAll("/.*", ""));
    Check.report("connect-resp2", LettuceDriver::connectResp2);
    Check.report("connect-resp3", LettuceDriver::connectResp3);
    Check.report("hit", LettuceDriver::hit);
    Check.report("pipeline", LettuceDriver::pipeline);
    Check.report("transaction", LettuceDriver::transaction);
    Check.report("auth", LettuceDriver::auth);
    Check.report("error-reply", LettuceDriver::errorReply);
    Check.report("binary-key", LettuceDriver::binaryKey);
    Check.report("concurrent", LettuceDriver::concurrent);
    System.exit(0);
  }
}
