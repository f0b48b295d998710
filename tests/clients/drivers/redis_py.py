"""redis-py, blocking: redis_py.py HOST PORT PASSWORD_PORT PASSWORD"""

from concurrent.futures import ThreadPoolExecutor

import redis
from check import (
    ALL_BYTES, ARITY_ERROR, HOST, LIMIT_ERROR, NAME, NOAUTH, OTHER_BYTES, PASSWORD, PASSWORD_PORT,
    PORT, WRONGPASS, admitted, equal, first_hits, matches, report, reset_within)
from redis.backoff import NoBackoff
from redis.retry import Retry

HAS_RESP3 = int(redis.__version__.split(".")[0]) >= 5
OPTIONS = {"socket_timeout": 30, "retry": Retry(NoBackoff(), 0)}


def connect(port=PORT, **options):
    return redis.Redis(host=HOST, port=port, **OPTIONS, **options)


def hit(client, key, hits, limit, *options):
    return client.execute_command("GUB.HIT", NAME, key, hits, limit, "60s", *options)


def error_of(call):
    try:
        reply = call()
    except redis.RedisError as error:
        return error
    raise AssertionError(f"no error, but {reply}")


def recipe(host, port):
    # recipe
    gub = redis.Redis(host=host, port=port, retry=Retry(NoBackoff(), 0))
    status, remaining, reset = gub.execute_command("GUB.HIT", "logins", "user:42", 1, 5, "1h")
    # end of recipe
    return [status, remaining, reset]


def connect_resp2():
    client = connect(protocol=2) if HAS_RESP3 else connect()
    equal(client.ping(), True)
    equal(type(hit(client, "connect", 0, 10, "FULL")), list)


def connect_resp3():
    client = connect(protocol=3)
    equal(client.ping(), True)
    reply = hit(client, "connect", 0, 10, "FULL")
    equal([type(reply), reply[b"status"], reply[b"remaining"]], [dict, 0, 10])


def three_hits():
    client = connect()
    replies = [hit(client, "hit", 1, 10) for _ in range(3)]
    first_hits(replies, 10)
    for reply in replies:
        reset_within(reply, 61)
    equal(hit(client, "hit", 100, 10)[:2], [1, 7])
    equal(recipe(HOST, PORT)[:2], [0, 4])


def pipeline():
    with connect().pipeline(transaction=False) as pipe:
        for _ in range(1000):
            hit(pipe, "pipeline", 1, 600)
        first_hits(pipe.execute(), 600)


def transaction():
    client = connect()
    pipe = client.pipeline(transaction=True)
    for _ in range(3):
        hit(pipe, "transaction", 1, 10)
    replies = pipe.execute()
    equal(len(replies), 3)
    first_hits(replies, 10)
    hit(pipe, "transaction", 1, 10)
    pipe.execute_command("GUB.HIT", NAME)
    matches(error_of(pipe.execute), ARITY_ERROR)
    equal(hit(client, "transaction", 0, 10)[:2], [0, 7])


def auth():
    none = error_of(lambda: hit(connect(PASSWORD_PORT), "auth", 1, 10))
    matches(none, NOAUTH)
    wrong = error_of(lambda: hit(connect(PASSWORD_PORT, password="wrong"), "auth", 1, 10))
    matches(wrong, WRONGPASS)
    equal(isinstance(none, redis.AuthenticationError), True)
    equal(isinstance(wrong, redis.AuthenticationError) or "WRONGPASS" in str(wrong), True)
    right = connect(PASSWORD_PORT, password=PASSWORD)
    user = connect(PASSWORD_PORT, username="default", password=PASSWORD)
    first_hits([hit(client, "auth", 1, 10) for client in (right, user)], 10)


def error_reply():
    client = connect()
    error = error_of(lambda: client.execute_command("GUB.HIT", "n", "k", 1, -1, "1s"))
    equal(type(error), redis.ResponseError)
    equal(str(error), LIMIT_ERROR)  # redis-py takes the ERR off
    equal(client.ping(), True)


def binary_key():
    client = connect()
    first_hits([hit(client, ALL_BYTES, 1, 10) for _ in range(2)], 10)
    first_hits([hit(client, OTHER_BYTES, 1, 10)], 10)


def concurrent():
    pool = redis.BlockingConnectionPool(host=HOST, port=PORT, max_connections=50, **OPTIONS)
    client = redis.Redis(connection_pool=pool)
    with ThreadPoolExecutor(50) as threads:
        replies = list(threads.map(lambda _: hit(client, "concurrent", 1, 500), range(1000)))
    equal(admitted(replies), 500)


def main():
    print("version", redis.__version__)
    report("connect-resp2", connect_resp2)
    if HAS_RESP3:
        report("connect-resp3", connect_resp3)
    report("hit", three_hits)
    report("pipeline", pipeline)
    report("transaction", transaction)
    report("auth", auth)
    report("error-reply", error_reply)
    report("binary-key", binary_key)
    report("concurrent", concurrent)


if __name__ == "__main__":
    main()
