"""The two clients that make the loads, and the figures they print."""

import csv
import re
import subprocess

from servers import BUILD, CLIENT_CPU

# No load of a benchmark takes longer, unless the server does not answer.
DEADLINE_S = 180


def run(command, cpus):
    done = subprocess.run(["taskset", "-c", cpus, *map(str, command)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"bench: {' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def benchmark(server, command, requests, pipeline, keys=100_000, cpus=CLIENT_CPU):
    """Requests a second, by redis-benchmark with 50 connections."""
    words = [word.replace("%k", "__rand_int__").replace("%n", "__rand_int__") for word in command]
    out = run(["redis-benchmark", "-h", "127.0.0.1", "-p", server.port, "-c", 50, "-P", pipeline,
               "-n", requests, "-r", keys, "--csv", *words], cpus)
    # The title is the command, with commas where it likes.
    rows = [row for row in csv.reader(out.splitlines()) if len(row) >= 8]
    return float(rows[-1][-7])


def client_command(server, command, reply_lines, **options):
    words = [BUILD / "tests/load_client", "--port", server.port, "--reply-lines", reply_lines]
    for name, value in options.items():
        words += ["--" + name.replace("_", "-"), value]
    return words + list(command)


def client_figures(line):
    return {name: float(value) for name, value in re.findall(r"(\w+)=([0-9.]+)", line)}


def client(server, command, reply_lines, cpus=CLIENT_CPU, **options):
    """What load_client prints, as a dict."""
    return client_figures(run(client_command(server, command, reply_lines, **options), cpus))


def latencies(figures):
    return {name: figures[name + "_us"] for name in ("p50", "p99", "p999")}


def fill(server, command, reply_lines, keys):
    """Sends a request for each of the keys: `%k` of the command in turn."""
    in_turn = [word.replace("%k", "%n") for word in command]
    client(server, in_turn, reply_lines, connections=8, pipeline=64, requests=keys, keys=keys)
