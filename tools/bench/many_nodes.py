"""Three nodes on 127.0.0.1, all on the servers' processor: what passing a hit on to its owner
costs, and what callers notice when the owner is killed.
"""

import re
import signal
import subprocess
import time

import loads
from servers import CLIENT_CPU, Cluster, Cost

IDLE, BUSY = "three nodes, idle", "three nodes"
CALM, KILLED = "three nodes, 2000/s", "three nodes, 2000/s, owner killed"
PING, LOCAL, FORWARDED = "PING", "GUB.HIT, local", "GUB.HIT, forwarded"
PIPELINES = (1, 16, 64)
CALLERS_RATE = 2000


def hit(tag):
    return ("GUB.HIT", "token", tag + ":%k", "1", "1000000000", "1d")


def fallbacks(node):
    """How many requests it has answered for owners that it could not reach."""
    return int(re.search(r"^fallback_answers:(\d+)", node.call("INFO", "cluster"), re.M)[1])


def latencies(cluster, options, results):
    """One connection, one request at a time, and nothing else going on."""
    first, second = cluster.nodes[:2]
    commands = {PING: (("PING",), 1), LOCAL: (hit(cluster.tag_of(first)), 4),
                FORWARDED: (hit(cluster.tag_of(second)), 4)}
    for name, (command, reply_lines) in commands.items():
        found = loads.client(first, command, reply_lines, connections=1,
                             requests=max(options.requests // 10, 1000))
        results.add(IDLE, name, 1, {"rate": found["per_second"], **loads.latencies(found)})


def throughput(cluster, options, results):
    first, second = cluster.nodes[:2]
    for pipeline in PIPELINES:
        requests = options.requests * {1: 1, 16: 4, 64: 8}[pipeline]
        for name, owner in ((LOCAL, first), (FORWARDED, second)):
            command, link = hit(cluster.tag_of(owner)), cluster.link(second)
            # Of a local hit the owner is the node that was called; what the other does by itself
            # meanwhile is not the hit's.
            cost = Cost(first) if owner is first else Cost(first, second)
            rate = loads.benchmark(first, command, requests, pipeline)
            sample = {"rate": rate, **cost.read(requests)}
            if owner is second:
                now = cluster.link(second)
                batches = now["batches"] - link["batches"]
                sample.update(caller=sample["by"][0], owner=sample["by"][1],
                              largest=now["largest_batch"],
                              batch=(now["requests"] - link["requests"]) / max(batches, 1))
            found = loads.client(first, command, 4, pipeline=pipeline, requests=requests // 2)
            sample.update(loads.latencies(found))
            results.add(BUSY, name, pipeline, sample)


def paced(first, tag, seconds):
    """Callers of one node in an open loop, whose keys are those of the tag; not started yet."""
    return loads.client_command(first, hit(tag), 4, rate=CALLERS_RATE, seconds=seconds)


def kill(options, results):
    """What callers of one node notice when the one that owns their keys is killed half way, beside
    what they notice when it is not."""
    cluster = Cluster()
    try:
        first, second = cluster.nodes[:2]
        tag = cluster.tag_of(second)
        calm = loads.client_figures(loads.run(paced(first, tag, options.kill_seconds), CLIENT_CPU))
        results.add(CALM, FORWARDED, 1, {"rate": calm["per_second"], **loads.latencies(calm),
                                         "max": calm["max_us"], "fallback": fallbacks(first)})
        command = ["taskset", "-c", CLIENT_CPU, *paced(first, tag, options.kill_seconds)]
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as load:
            time.sleep(options.kill_seconds / 2)
            second.send(signal.SIGKILL)
            line = load.communicate(timeout=loads.DEADLINE_S)[0]
        found = loads.client_figures(line)
        if load.returncode != 0 or found["unanswered"] > 0:
            raise SystemExit("bench: callers of a node whose neighbour was killed got no answer")
        results.add(KILLED, FORWARDED, 1, {"rate": found["per_second"], **loads.latencies(found),
                                           "max": found["max_us"], "fallback": fallbacks(first)})
    finally:
        cluster.stop()


def run(options, results):
    cluster = Cluster()
    try:
        for number in range(options.rounds):
            latencies(cluster, options, results)
            throughput(cluster, options, results)
            print(f"bench: three nodes, round {number + 1} of {options.rounds} "
                  f"at {time.monotonic() - options.start_s:.0f} s", flush=True)
    finally:
        cluster.stop()
    for _ in range(min(options.rounds, 3)):
        kill(options, results)
