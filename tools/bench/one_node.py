"""One node beside a redis-server: closed loops by row and pipeline, and an open loop at half of the
peak rate.
"""

import dataclasses
import pathlib
import time

import loads
from servers import ALL_CPUS, CLIENT_CPU, SERVER_CPU, Cost, Gub, Redis

PIPELINES = (1, 16, 64)
KEYS = 100_000
MANY_KEYS = 1_000_000
# redis-benchmark holds a number of keys in an int. Of a run's requests, one in thousands meets a
# key again.
ALL_NEW = 2_000_000_000

PING, HIT, TAKE, INCR, LUA = "PING", "GUB.HIT token", "GUB.TAKE", "INCR", "Lua token bucket"
HIT_MANY = "GUB.HIT token, 1 M keys"
OPEN = "open loop, half of the peak"
ONE_THREAD, TWO_THREADS = "one thread", "two threads"


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    server: str       # "gub", "gub new" (emptied before each run) or "redis"
    command: tuple
    reply_lines: int  # of one reply
    keys: int = KEYS
    share: float = 1  # of the requests that other rows get, for one that takes long
    fill: bool = True


def hit(name, key="key:%k", limit=1_000_000_000, *more):
    return ("GUB.HIT", name, key, "1", str(limit), "1d", *more)


def rows(lua_sha):
    now_ms = str(int(time.time() * 1000))
    lua = ("EVALSHA", lua_sha, "1", "key:%k", "1000000000", "1000", "1", now_ms)
    return [
        Row(PING, "gub", ("PING",), 1, fill=False),
        Row(HIT, "gub", hit("token"), 4),
        Row("GUB.HIT leaky", "gub", hit("leaky", "key:%k", 1_000_000_000, "leaky"), 4),
        Row("GUB.HIT token, new keys", "gub new", hit("new"), 4, keys=ALL_NEW, fill=False),
        Row("GUB.HIT leaky, new keys", "gub new", hit("new", "key:%k", 1_000_000, "leaky"), 4,
            keys=ALL_NEW, fill=False),
        Row("GUB.HIT token, one hot key", "gub", hit("hot", "key"), 4, fill=False),
        Row("GUB.HIT leaky, one hot key", "gub", hit("hot", "key", 1_000_000_000, "leaky"), 4,
            fill=False),
        Row("GUB.HIT token, all denied", "gub", hit("denied", "key:%k", 1), 4),
        Row(HIT_MANY, "gub", hit("many"), 4, keys=MANY_KEYS),
        Row(TAKE, "gub", ("GUB.TAKE", "key:%k", "1000000000", "1000"), 4),
        Row(INCR, "redis", ("INCR", "counter:%k"), 1),
        Row(LUA, "redis", lua, 3, share=0.3),
    ]


def load_script(redis):
    script = pathlib.Path(__file__).parent / "lua_bucket.lua"
    return redis.call("SCRIPT", "LOAD", script.read_text(encoding="utf-8"))


class Bench:
    """A redis-server and two gub-servers, filled, and what each round of measuring found."""

    def __init__(self, options, threads):
        self.options = options
        self.setting = ONE_THREAD if threads == 1 else TWO_THREADS
        pinned = threads == 1
        server_cpus, self.client_cpus = (SERVER_CPU, CLIENT_CPU) if pinned else (ALL_CPUS, ALL_CPUS)
        self.servers = {"gub": Gub(threads=threads, cpus=server_cpus),
                        "gub new": Gub(threads=threads, cpus=server_cpus),
                        "redis": Redis(cpus=server_cpus)}
        self.rows = rows(load_script(self.servers["redis"]))
        if not pinned:
            few = (PING, HIT, "GUB.HIT leaky", "GUB.HIT token, one hot key", TAKE, INCR, LUA)
            self.rows = [row for row in self.rows if row.name in few]
        for row in self.rows:
            if row.fill:
                loads.fill(self.servers[row.server], row.command, row.reply_lines, row.keys)

    def stop(self):
        for server in self.servers.values():
            server.stop()

    def requests(self, row, pipeline):
        return int(self.options.requests * row.share * {1: 1, 16: 4, 64: 8}[pipeline])

    def measure(self, row, pipeline):
        """One sample: a rate and its cost by redis-benchmark, then latencies by load_client."""
        server = self.servers[row.server]
        if row.server == "gub new":
            server.call("FLUSHALL")
        requests = self.requests(row, pipeline)
        cost = Cost(server)
        rate = loads.benchmark(server, row.command, requests, pipeline, row.keys, self.client_cpus)
        spent = cost.read(requests)
        command = [word.replace("%k", "%n") for word in row.command] \
            if row.server == "gub new" else row.command
        if row.server == "gub new":
            server.call("FLUSHALL")
        latency = loads.client(server, command, row.reply_lines, cpus=self.client_cpus,
                               pipeline=pipeline, requests=requests // 2, keys=row.keys)
        return {"rate": rate, **spent, **loads.latencies(latency)}

    def run(self, results):
        """Round by round, each row once a round, so that what the machine does meanwhile meets
        all of them."""
        for number in range(self.options.rounds):
            for pipeline in PIPELINES:
                for row in self.rows:
                    results.add(self.setting, row.name, pipeline, self.measure(row, pipeline))
            print(f"bench: {self.setting}, round {number + 1} of {self.options.rounds} "
                  f"at {time.monotonic() - self.options.start_s:.0f} s", flush=True)

    def run_open(self, results):
        """At one rate for all: half of what GUB.HIT reached at pipeline 1, or of what INCR did when
        that is less."""
        peaks = [results.median(self.setting, name, 1, "rate") for name in (HIT, INCR)]
        rate = int(min(peaks) / 2)
        for _ in range(self.options.rounds):
            for row in self.rows:
                if row.name not in (PING, HIT, INCR):
                    continue
                server = self.servers[row.server]
                cost = Cost(server)
                found = loads.client(server, row.command, row.reply_lines, cpus=self.client_cpus,
                                     rate=rate, seconds=self.options.open_seconds, keys=row.keys)
                results.add(OPEN, row.name, 1, {
                    "rate": found["per_second"], **cost.read(found["requests"]),
                    **loads.latencies(found)})
