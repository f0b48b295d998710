"""GLOBAL limits on three nodes of 127.0.0.1: what a hit costs that a lease answers, beside one on a
key of the node's own, and what many keys cost that are hit seldom.
"""

import time

import loads
from servers import Cluster, Cost

BUSY, SELDOM = "three nodes, one key", "three nodes, 10000 keys, 1/s each"
LOCAL, GLOBAL = "GUB.HIT, own key", "GUB.HIT, GLOBAL"
PIPELINES = (1, 16, 64)
SELDOM_KEYS = 10_000


def hit(key, behavior):
    return ("GUB.HIT", "api", key, "1", "1000000000000", "1d", "token", behavior)


def counts(nodes):
    """Of leases, by all these nodes since the start."""
    sums = {}
    for node in nodes:
        for line in node.call("INFO", "global").splitlines():
            name, _, value = line.partition(":")
            if name.startswith("lease_"):
                sums[name] = sums.get(name, 0) + int(value)
    return sums


class Sent:
    """What was sent of leases from here on."""

    def __init__(self, nodes):
        self.nodes, self.before, self.start_s = nodes, counts(nodes), time.monotonic()

    def read(self):
        seconds = time.monotonic() - self.start_s
        now = counts(self.nodes)
        return {name: (now[name] - self.before[name]) / seconds for name in now}


def one_key(cluster, options, results):
    first, second = cluster.nodes[:2]
    for pipeline in PIPELINES:
        requests = options.requests * {1: 1, 16: 4, 64: 8}[pipeline]
        for row, owner, behavior in ((LOCAL, first, "BATCHING"), (GLOBAL, second, "GLOBAL")):
            sent, cost = Sent(cluster.nodes), Cost(first)
            rate = loads.benchmark(first, hit(cluster.tag_of(owner), behavior), requests, pipeline)
            sample = {"rate": rate, **cost.read(requests)}
            if row == GLOBAL:
                found = sent.read()
                sample.update(frames=found["lease_frames_sent"], bytes=found["lease_bytes_sent"],
                              answered=found["lease_local_answers"] / rate)
            results.add(BUSY, row, pipeline, sample)


def seldom(cluster, options, results):
    """Each key once a second, in an open loop, on a node that owns a third of them."""
    first = cluster.nodes[0]
    for row, behavior in ((LOCAL, "BATCHING"), (GLOBAL, "GLOBAL")):
        command = hit("seldom:%n", behavior)
        sent, cost = Sent(cluster.nodes), Cost(*cluster.nodes)
        found = loads.client(first, command, 4, rate=SELDOM_KEYS, seconds=options.kill_seconds,
                             keys=SELDOM_KEYS)
        spent = cost.read(1)
        leases = sent.read()
        results.add(SELDOM, "GUB.HIT, forwarded" if row == LOCAL else row, 1, {
            "rate": found["per_second"], **loads.latencies(found),
            "frames": leases["lease_frames_sent"], "bytes": leases["lease_bytes_sent"],
            "share": spent["cpu"] / (options.kill_seconds * 1e6)})


def run(options, results):
    cluster = Cluster()
    try:
        for _ in range(options.rounds):
            one_key(cluster, options, results)
        for _ in range(min(options.rounds, 3)):
            seldom(cluster, options, results)
    finally:
        cluster.stop()
    print(f"bench: GLOBAL limits at {time.monotonic() - options.start_s:.0f} s", flush=True)
