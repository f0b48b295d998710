// Jedis: JedisDriver HOST PORT PASSWORD_PORT PASSWORD

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

final class JedisDriver {
  static final ProtocolCommand HIT = () -> SafeEncoder.encode("GUB.HIT");

  static DefaultJedisClientConfig.Builder config() {
    return DefaultJedisClientConfig.builder().timeoutMillis(30000);
  }

  static RedisClient connect(int port, DefaultJedisClientConfig.Builder config) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(50);
    return RedisClient.builder().hostAndPort(Check.host, port).clientConfig(config.build())
        .poolConfig(pool).build();
  }

  static RedisClient connect() {
    return connect(Check.port, config());
  }

  static String[] words(String key, long hits, long limit) {
    return new String[] {Check.NAME, key, "" + hits, "" + limit, "60s"};
  }

  static Object hit(RedisClient client, String key, long hits, long limit) {
    return client.sendCommand(HIT, words(key, hits, limit));
  }

  static Object recipe(String host, int port) {
    // recipe
    RedisClient gub = RedisClient.create(host, port); // no hit is sent again
    ProtocolCommand hit = () -> SafeEncoder.encode("GUB.HIT");
    List<?> reply = (List<?>) gub.sendCommand(hit, "logins", "user:42", "1", "5", "1h");
    boolean admitted = (Long) reply.get(0) == 0; // get(1): remaining, get(2): reset
    // end of recipe
    Check.equal(admitted, true);
    return reply;
  }

  static Object full(RedisProtocol protocol) {
    RedisClient client = connect(Check.port, config().protocol(protocol));
    Check.equal(client.ping(), "PONG");
    return client.sendCommand(HIT, "n", "connect", "0", "10", "60s", "FULL");
  }

  static void connectResp2() {
    Check.equal(((List<?>) full(RedisProtocol.RESP2)).size(), 14);
  }

  /** Jedis gives a map as a list of entries. */
  static void connectResp3() {
    List<?> entries = (List<?>) full(RedisProtocol.RESP3);
    Check.equal(entries.size(), 7);
    Map.Entry<?, ?> first = (Map.Entry<?, ?>) entries.get(0);
    Check.equal(SafeEncoder.encode((byte[]) first.getKey()), "status");
    Check.equal(first.getValue(), 0L);
  }

  static void hit() {
    RedisClient client = connect();
    List<Object> replies = new ArrayList<>();
    for (int i = 0; i < 3; ++i) {
      replies.add(hit(client, "hit", 1, 10));
      Check.resetWithin(replies.get(i), 61);
    }
    Check.firstHits(replies, 10);
    Check.equal(Check.statusAndRemaining(hit(client, "hit", 100, 10)), List.of(1L, 7L));
    Check.firstHits(List.of(recipe(Check.host, Check.port)), 5);
  }

  static void pipeline() {
    List<Response<Object>> responses = new ArrayList<>();
    try (AbstractPipeline pipeline = connect().pipelined()) {
      for (int i = 0; i < 1000; ++i) {
        responses.add(pipeline.sendCommand(HIT, words("pipeline", 1, 600)));
      }
      pipeline.sync();
    }
    Check.firstHits(responses.stream().map(Response::get).toList(), 600);
  }

  static void transaction() throws Exception {
    RedisClient client = connect();
    try (AbstractTransaction good = client.multi()) {
      for (int i = 0; i < 3; ++i) {
        good.sendCommand(HIT, words("transaction", 1, 10));
      }
      List<Object> replies = good.exec();
      Check.equal(replies.size(), 3);
      Check.firstHits(replies, 10);
    }
    try (AbstractTransaction bad = client.multi()) {
      bad.sendCommand(HIT, words("transaction", 1, 10));
      bad.sendCommand(HIT, "n");
      Check.fails(bad::exec, "EXECABORT", Check.ARITY_ERROR);
    }
    Check.equal(Check.statusAndRemaining(hit(client, "transaction", 0, 10)), List.of(0L, 7L));
  }

  static Object hitAs(DefaultJedisClientConfig.Builder config) {
    return hit(connect(Check.passwordPort, config), "auth", 1, 10);
  }

  static void auth() throws Exception {
    Check.fails(() -> hitAs(config()), "NOAUTH ");
    Check.fails(() -> hitAs(config().password("wrong")), "WRONGPASS ");
    Object right = hitAs(config().password(Check.password));
    Object user = hitAs(config().user("default").password(Check.password));
    Check.firstHits(List.of(right, user), 10);
  }

  static void errorReply() {
    RedisClient client = connect();
    try {
      Check.equal(client.sendCommand(HIT, "n", "k", "1", "-1", "1s"), "an error");
    } catch (JedisDataException error) {
      Check.equal(error.getMessage(), Check.LIMIT_ERROR);
    }
    Check.equal(client.ping(), "PONG");
  }

  static Object hitBytes(RedisClient client, byte[] key) {
    return client.sendCommand(HIT, SafeEncoder.encode(Check.NAME), key, SafeEncoder.encode("1"),
        SafeEncoder.encode("10"), SafeEncoder.encode("60s"));
  }

  static void binaryKey() {
    RedisClient client = connect();
    byte[] key = Check.allBytes(255);
    Check.firstHits(List.of(hitBytes(client, key), hitBytes(client, key)), 10);
    Check.firstHits(List.of(hitBytes(client, Check.allBytes(254))), 10);
  }

  static void concurrent() throws Exception {
    RedisClient client = connect();
    List<Object> replies = Check.thousandTimes(() -> hit(client, "concurrent", 1, 500));
    Check.equal(Check.admitted(replies), 500L);
  }

  static String version() throws Exception {
    Properties properties = new Properties();
    properties.load(JedisDriver.class.getResourceAsStream(
        "/META-INF/maven/redis.clients/jedis/pom.properties"));
    return properties.getProperty("version");
  }

  public static void main(String[] arguments) throws Exception {
    Check.arguments(arguments);
    System.out.println("version " + version());
    Check.report("connect-resp2", JedisDriver::connectResp2);
    Check.report("connect-resp3", JedisDriver::connectResp3);
    Check.report("hit", JedisDriver::hit);
    Check.report("pipeline", JedisDriver::pipeline);
    Check.report("transaction", JedisDriver::transaction);
    Check.report("auth", JedisDriver::auth);
    Check.report("error-reply", JedisDriver::errorReply);
    Check.report("binary-key", JedisDriver::binaryKey);
    Check.report("concurrent", JedisDriver::concurrent);
    System.exit(0);
  }
}
