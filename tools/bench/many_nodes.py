"""Three nodes on 127.0.0.1, all on the servers' processor: what passing a hit on to its owner
costs, and what callers notice when the owner is killed.
"""

import re
import signal
import subprocess
import time

import loads
from servers import CLIENT_CPU, Cluster, Cost

IDLE, BUSY, KILLED = "three nodes, idle", "three nodes", "three nodes, owner killed"
PING, LOCAL, FORWARDED = "PING", "GUB.HIT, local", "GUB.HIT, forwarded"
PIPELINES = (1, 16, 64)
KILL_RATE = 2000
KILL_SECONDS = 4


def hit(tag):
    return ("GUB.HIT", "token", tag + ":%k", "1", "1000000000", "1d")


def info_number(node, name):
    return int(re.search(rf"^{name}:(\d+)", node.call("INFO", "cluster"), re.M)[1])


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


def kill(results):
    """Callers of one node in an open loop, whose keys are another's, which dies half way."""
    cluster = Cluster()
    try:
        first, second = cluster.nodes[:2]
        command = loads.client_command(first, hit(cluster.tag_of(second)), 4, rate=KILL_RATE,
                                       seconds=KILL_SECONDS)
        with subprocess.Popen(["taskset", "-c", CLIENT_CPU, *map(str, command)],
                              stdout=subprocess.PIPE, text=True) as load:
            time.sleep(KILL_SECONDS / 2)
            second.send(signal.SIGKILL)
            line = load.communicate(timeout=loads.DEADLINE_S)[0]
        if load.returncode != 0:
            raise SystemExit("bench: the callers did not all get an answer")
        found = loads.client_figures(line)
        results.add(KILLED, FORWARDED, 1, {
            "rate": found["per_second"], **loads.latencies(found), "max": found["max_us"],
            "fallback": info_number(first, "fallback_answers")})
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
        kill(results)
