/* hiredis: hiredis HOST PORT PASSWORD_PORT PASSWORD
   A check returns NULL, or what was wrong. Connections are left to the end of the process. */

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define LIMIT_ERROR "ERR limit must not be negative"
#define ARITY_ERROR "ERR wrong number of arguments for 'gub.hit' command"
#define EXEC_ERROR "EXECABORT Transaction discarded because of previous errors."
#define THREADS 20
#define HITS_A_THREAD 50

static const char* host;
static int port;
static int password_port;
static const char* password;
static char reason[512];

static const char* Wrong(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return reason;
}

static redisContext* Connect(int to_port) {
  struct timeval timeout = {30, 0};
  redisContext* context = redisConnectWithTimeout(host, to_port, timeout);
  if (context == NULL || context->err) {
    return NULL;
  }
  redisSetTimeout(context, timeout);
  return context;
}

static redisReply* Call(redisContext* context, const char* format, ...) {
  if (context == NULL) {
    return NULL;
  }
  va_list arguments;
  va_start(arguments, format);
  redisReply* reply = redisvCommand(context, format, arguments);
  va_end(arguments);
  return reply;
}

static redisReply* Hit(redisContext* context, const char* key, int hits, int limit) {
  return Call(context, "GUB.HIT requests_per_sec %s %d %d 60s", key, hits, limit);
}

static int IsText(const redisReply* reply, int type, const char* text) {
  return reply != NULL && reply->type == type && strncmp(reply->str, text, strlen(text)) == 0;
}

static const char* WantText(const redisReply* reply, int type, const char* text) {
  if (IsText(reply, type, text)) {
    return NULL;
  }
  return Wrong("got '%s', not '%s'", reply && reply->str ? reply->str : "no text", text);
}

static const char* WantHit(const redisReply* reply, long long status, long long remaining) {
  if (reply == NULL || reply->type != REDIS_REPLY_ARRAY || reply->elements != 3) {
    return Wrong("no array of 3: %s", reply && reply->str ? reply->str : "no reply");
  }
  if (reply->element[0]->integer != status || reply->element[1]->integer != remaining) {
    return Wrong("got [%lld %lld], not [%lld %lld]", reply->element[0]->integer,
                 reply->element[1]->integer, status, remaining);
  }
  return NULL;
}

static int Recipe(long long* remaining) {
  /* recipe */
  redisContext* gub = redisConnect(host, port);
  redisReply* reply = redisCommand(gub, "GUB.HIT logins %s 1 5 1h", "user:42");
  int admitted = reply != NULL && reply->type == REDIS_REPLY_ARRAY &&
                 reply->element[0]->integer == 0; /* element[1]: remaining, [2]: reset */
  /* end of recipe */
  *remaining = admitted ? reply->element[1]->integer : -1;
  return admitted;
}

static const char* CheckConnectResp2(void) {
  redisContext* context = Connect(port);
  const char* wrong = WantText(Call(context, "PING"), REDIS_REPLY_STATUS, "PONG");
  if (wrong != NULL) {
    return wrong;
  }
  redisReply* full = Call(context, "GUB.HIT n connect 0 10 60s FULL");
  return full != NULL && full->elements == 14 ? NULL : Wrong("FULL is no array of 14");
}

static const char* CheckHit(void) {
  redisContext* context = Connect(port);
  for (int i = 0; i < 3; ++i) {
    redisReply* reply = Hit(context, "hit", 1, 10);
    const char* wrong = WantHit(reply, 0, 9 - i);
    if (wrong != NULL) {
      return wrong;
    }
    struct timeval now;
    gettimeofday(&now, NULL);
    long long ahead = reply->element[2]->integer - (now.tv_sec * 1000LL + now.tv_usec / 1000);
    if (ahead <= 0 || ahead > 61000) {
      return Wrong("the reset is %lld ms ahead", ahead);
    }
  }
  const char* wrong = WantHit(Hit(context, "hit", 100, 10), 1, 7);
  long long remaining;
  if (wrong == NULL && (!Recipe(&remaining) || remaining != 4)) {
    return Wrong("the recipe leaves %lld", remaining);
  }
  return wrong;
}

static const char* CheckPipeline(void) {
  redisContext* context = Connect(port);
  for (int i = 0; context != NULL && i < 1000; ++i) {
    redisAppendCommand(context, "GUB.HIT requests_per_sec pipeline 1 600 60s");
  }
  for (int i = 0; i < 1000; ++i) {
    redisReply* reply = NULL;
    if (context == NULL || redisGetReply(context, (void**)&reply) != REDIS_OK) {
      return Wrong("no reply %d", i);
    }
    const char* wrong = i < 600 ? WantHit(reply, 0, 599 - i) : WantHit(reply, 1, 0);
    if (wrong != NULL) {
      return wrong;
    }
    freeReplyObject(reply);
  }
  return NULL;
}

static const char* CheckTransaction(void) {
  redisContext* context = Connect(port);
  const char* wrong = WantText(Call(context, "MULTI"), REDIS_REPLY_STATUS, "OK");
  for (int i = 0; wrong == NULL && i < 3; ++i) {
    wrong = WantText(Hit(context, "transaction", 1, 10), REDIS_REPLY_STATUS, "QUEUED");
  }
  redisReply* replies = Call(context, "EXEC");
  if (wrong == NULL && (replies->type != REDIS_REPLY_ARRAY || replies->elements != 3)) {
    wrong = Wrong("EXEC gives no array of 3");
  }
  for (int i = 0; wrong == NULL && i < 3; ++i) {
    wrong = WantHit(replies->element[i], 0, 9 - i);
  }
  if (wrong != NULL) {
    return wrong;
  }
  Call(context, "MULTI");
  Hit(context, "transaction", 1, 10);
  wrong = WantText(Call(context, "GUB.HIT n"), REDIS_REPLY_ERROR, ARITY_ERROR);
  if (wrong == NULL) {
    wrong = WantText(Call(context, "EXEC"), REDIS_REPLY_ERROR, EXEC_ERROR);
  }
  return wrong != NULL ? wrong : WantHit(Hit(context, "transaction", 0, 10), 0, 7);
}

static const char* CheckAuth(void) {
  redisContext* context = Connect(password_port);
  const char* wrong =
      WantText(Hit(context, "auth", 1, 10), REDIS_REPLY_ERROR, "NOAUTH Authentication required");
  if (wrong == NULL) {
    wrong = WantText(Call(context, "AUTH wrong"), REDIS_REPLY_ERROR, "WRONGPASS ");
  }
  if (wrong == NULL) {
    wrong = WantText(Call(context, "AUTH %s", password), REDIS_REPLY_STATUS, "OK");
  }
  if (wrong == NULL) {
    wrong = WantHit(Hit(context, "auth", 1, 10), 0, 9);
  }
  if (wrong == NULL) {
    context = Connect(password_port);
    wrong = WantText(Call(context, "AUTH default %s", password), REDIS_REPLY_STATUS, "OK");
  }
  return wrong != NULL ? wrong : WantHit(Hit(context, "auth", 1, 10), 0, 8);
}

static const char* CheckErrorReply(void) {
  redisContext* context = Connect(port);
  redisReply* reply = Call(context, "GUB.HIT n k 1 -1 1s");
  const char* wrong = WantText(reply, REDIS_REPLY_ERROR, LIMIT_ERROR);
  if (wrong == NULL && strcmp(reply->str, LIMIT_ERROR) != 0) {
    wrong = Wrong("the error is '%s'", reply->str);
  }
  return wrong != NULL ? wrong : WantText(Call(context, "PING"), REDIS_REPLY_STATUS, "PONG");
}

static const char* CheckBinaryKey(void) {
  unsigned char key[256];
  for (int i = 0; i < 256; ++i) {
    key[i] = (unsigned char)i;
  }
  redisContext* context = Connect(port);
  const char* format = "GUB.HIT requests_per_sec %b 1 10 60s";
  const char* wrong = WantHit(Call(context, format, key, sizeof key), 0, 9);
  if (wrong == NULL) {
    wrong = WantHit(Call(context, format, key, sizeof key), 0, 8);
  }
  key[255] = 254;
  return wrong != NULL ? wrong : WantHit(Call(context, format, key, sizeof key), 0, 9);
}

/* Fifty hits on a connection of its own; how many were admitted, or -1. */
static void* HitsOfThread(void* unused) {
  (void)unused;
  redisContext* context = Connect(port);
  long admitted = 0;
  for (int i = 0; i < HITS_A_THREAD; ++i) {
    redisReply* reply = Hit(context, "concurrent", 1, 500);
    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY) {
      return (void*)-1L;
    }
    admitted += reply->element[0]->integer == 0;
    freeReplyObject(reply);
  }
  return (void*)admitted;
}

static const char* CheckConcurrent(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], NULL, HitsOfThread, NULL) != 0) {
      return Wrong("no thread %d", i);
    }
  }
  long sum = 0;
  int failed = 0;
  for (int i = 0; i < THREADS; ++i) {
    void* admitted;
    pthread_join(threads[i], &admitted);
    sum += (long)admitted;
    failed += (long)admitted < 0;
  }
  return failed == 0 && sum == 500 ? NULL : Wrong("%ld admitted, %d threads failed", sum, failed);
}

static void Report(const char* name, const char* wrong) {
  if (wrong == NULL) {
    printf("%s ok\n", name);
  } else {
    printf("%s FAIL %s\n", name, wrong);
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    return 2;
  }
  host = argv[1];
  port = atoi(argv[2]);
  password_port = atoi(argv[3]);
  password = argv[4];
  printf("version %d.%d.%d\n", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
  Report("connect-resp2", CheckConnectResp2());
  Report("hit", CheckHit());
  Report("pipeline", CheckPipeline());
  Report("transaction", CheckTransaction());
  Report("auth", CheckAuth());
  Report("error-reply", CheckErrorReply());
  Report("binary-key", CheckBinaryKey());
  Report("concurrent", CheckConcurrent());
  return 0;
}
