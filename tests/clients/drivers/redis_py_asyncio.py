"""redis-py, asyncio: redis_py_asyncio.py HOST PORT PASSWORD_PORT PASSWORD"""

import asyncio

import redis as blocking
import redis.asyncio as redis
from check import (
    ALL_BYTES, ARITY_ERROR, HOST, LIMIT_ERROR, NAME, NOAUTH, OTHER_BYTES, PASSWORD, PASSWORD_PORT,
    PORT, WRONGPASS, admitted, equal, first_hits, matches, report_async, reset_within)
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

HAS_RESP3 = int(blocking.__version__.split(".")[0]) >= 5
OPTIONS = {"socket_timeout": 30, "retry": Retry(NoBackoff(), 0)}


def connect(port=PORT, **options):
    return redis.Redis(host=HOST, port=port, **OPTIONS, **options)


def hit(client, key, hits, limit, *options):
    return client.execute_command("GUB.HIT", NAME, key, hits, limit, "60s", *options)


async def error_of(awaitable):
    try:
        reply = await awaitable
    except redis.RedisError as error:
        return error
    raise AssertionError(f"no error, but {reply}")


async def recipe(host, port):
    # recipe
    gub = redis.Redis(host=host, port=port, retry=Retry(NoBackoff(), 0))
    status, remaining, reset = await gub.execute_command(
        "GUB.HIT", "logins", "user:42", 1, 5, "1h")
    # end of recipe
    return [status, remaining, reset]


async def connect_resp2():
    client = connect(protocol=2) if HAS_RESP3 else connect()
    equal(await client.ping(), True)
    equal(type(await hit(client, "connect", 0, 10, "FULL")), list)


async def connect_resp3():
    client = connect(protocol=3)
    equal(await client.ping(), True)
    reply = await hit(client, "connect", 0, 10, "FULL")
    equal([type(reply), reply[b"status"], reply[b"remaining"]], [dict, 0, 10])


async def three_hits():
    client = connect()
    replies = [await hit(client, "hit", 1, 10) for _ in range(3)]
    first_hits(replies, 10)
    for reply in replies:
        reset_within(reply, 61)
    equal((await hit(client, "hit", 100, 10))[:2], [1, 7])
    equal((await recipe(HOST, PORT))[:2], [0, 4])


async def pipeline():
    async with connect().pipeline(transaction=False) as pipe:
        for _ in range(1000):
            hit(pipe, "pipeline", 1, 600)
        first_hits(await pipe.execute(), 600)


async def transaction():
    client = connect()
    pipe = client.pipeline(transaction=True)
    for _ in range(3):
        hit(pipe, "transaction", 1, 10)
    replies = await pipe.execute()
    equal(len(replies), 3)
    first_hits(replies, 10)
    hit(pipe, "transaction", 1, 10)
    pipe.execute_command("GUB.HIT", NAME)
    matches(await error_of(pipe.execute()), ARITY_ERROR)
    equal((await hit(client, "transaction", 0, 10))[:2], [0, 7])


async def auth():
    none = await error_of(hit(connect(PASSWORD_PORT), "auth", 1, 10))
    matches(none, NOAUTH)
    wrong = await error_of(hit(connect(PASSWORD_PORT, password="wrong"), "auth", 1, 10))
    matches(wrong, WRONGPASS)
    equal(isinstance(none, redis.AuthenticationError), True)
    equal(isinstance(wrong, redis.AuthenticationError) or "WRONGPASS" in str(wrong), True)
    right = connect(PASSWORD_PORT, password=PASSWORD)
    user = connect(PASSWORD_PORT, username="default", password=PASSWORD)
    first_hits([await hit(client, "auth", 1, 10) for client in (right, user)], 10)


async def error_reply():
    client = connect()
    error = await error_of(client.execute_command("GUB.HIT", "n", "k", 1, -1, "1s"))
    equal(type(error), redis.ResponseError)
    equal(str(error), LIMIT_ERROR)  # redis-py takes the ERR off
    equal(await client.ping(), True)


async def binary_key():
    client = connect()
    first_hits([await hit(client, ALL_BYTES, 1, 10) for _ in range(2)], 10)
    first_hits([await hit(client, OTHER_BYTES, 1, 10)], 10)


async def concurrent():
    pool = redis.BlockingConnectionPool(host=HOST, port=PORT, max_connections=50, **OPTIONS)
    client = redis.Redis(connection_pool=pool)
    replies = await asyncio.gather(*(hit(client, "concurrent", 1, 500) for _ in range(1000)))
    equal(admitted(replies), 500)


async def main():
    print("version", blocking.__version__)
    await report_async("connect-resp2", connect_resp2)
    if HAS_RESP3:
        await report_async("connect-resp3", connect_resp3)
    await report_async("hit", three_hits)
    await report_async("pipeline", pipeline)
    await report_async("transaction", transaction)
    await report_async("auth", auth)
    await report_async("error-reply", error_reply)
    await report_async("binary-key", binary_key)
    await report_async("concurrent", concurrent)


if __name__ == "__main__":
    asyncio.run(main())
