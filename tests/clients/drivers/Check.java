// What the drivers in Java share: the arguments, and running checks with a line for each.

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

final class Check {
  interface Body {
    void run() throws Exception;
  }

  static final String NAME = "requests_per_sec";
  static final String LIMIT_ERROR = "ERR limit must not be negative";
  static final String ARITY_ERROR = "ERR wrong number of arguments for 'gub.hit' command";

  static String host;
  static int port;
  static int passwordPort;
  static String password;

  static void arguments(String[] arguments) {
    host = arguments[0];
    port = Integer.parseInt(arguments[1]);
    passwordPort = Integer.parseInt(arguments[2]);
    password = arguments[3];
  }

  /** Runs a check, which throws when it fails, and prints its line. */
  static void report(String name, Body body) {
    try {
      body.run();
      System.out.println(name + " ok");
    } catch (Throwable error) {
      System.out.println(name + " FAIL " + texts(error).replaceAll("\\s+", " "));
    }
  }

  /** The text of an error, and of what caused it. */
  static String texts(Throwable error) {
    return error.getCause() == null ? error.toString() : error + " | " + texts(error.getCause());
  }

  static void equal(Object got, Object want) {
    if (!Objects.equals(got, want)) {
      throw new AssertionError("got " + got + ", not " + want);
    }
  }

  static void fails(Body body, String... texts) throws Exception {
    try {
      body.run();
    } catch (Exception error) {
      String all = texts(error);
      if (Arrays.stream(texts).noneMatch(all::contains)) {
        throw new AssertionError("the error is '" + all + "', not '" + texts[0] + "'");
      }
      return;
    }
    throw new AssertionError("no error, not '" + texts[0] + "'");
  }

  /** Status and remaining of a reply, which must have three integers. */
  static List<Object> statusAndRemaining(Object reply) {
    List<?> elements = (List<?>) reply;
    equal(elements.size(), 3);
    return List.of(elements.get(0), elements.get(1));
  }

  /** That these answer the first hits on a key: admitted in order up to the limit, then denied. */
  static void firstHits(Collection<?> replies, long limit) {
    long i = 0;
    for (Object reply : replies) {
      List<Object> want = i < limit ? List.of(0L, limit - 1 - i) : List.of(1L, 0L);
      equal(statusAndRemaining(reply), want);
      ++i;
    }
  }

  static void resetWithin(Object reply, long seconds) {
    long ahead = (Long) ((List<?>) reply).get(2) - System.currentTimeMillis();
    if (ahead <= 0 || ahead > seconds * 1000) {
      throw new AssertionError("the reset is " + ahead + " ms ahead");
    }
  }

  static byte[] allBytes(int last) {
    byte[] bytes = new byte[256];
    for (int i = 0; i < 256; ++i) {
      bytes[i] = (byte) i;
    }
    bytes[255] = (byte) last;
    return bytes;
  }

  static long admitted(Collection<?> replies) {
    return replies.stream().filter(reply -> statusAndRemaining(reply).get(0).equals(0L)).count();
  }

  /** The replies of a thousand calls on fifty threads. */
  static List<Object> thousandTimes(Callable<Object> call) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(50);
    try {
      List<Future<Object>> futures = new ArrayList<>();
      for (int i = 0; i < 1000; ++i) {
        futures.add(threads.submit(call));
      }
      List<Object> replies = new ArrayList<>();
      for (Future<Object> future : futures) {
        replies.add(future.get(60, TimeUnit.SECONDS));
      }
      return replies;
    } finally {
      threads.shutdownNow();
    }
  }
}
