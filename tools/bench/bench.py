#!/usr/bin/python3
"""`make bench`: what a hit costs, beside redis-server, and through other nodes.

Prints one table with the medians of alternating rounds and their ratios, then the targets, and
writes both to build/bench/.

Environment: BUILD (build), QUICK (1 for a short run), ROUNDS (5, quick 3), REQUESTS (40000 at
pipeline 1, quick 8000; 4 and 8 times that at pipelines 16 and 64), ONLY (some of
"one-thread two-threads cluster in-process", default all), SERVER_CPU and CLIENT_CPU (the first two
that there are).
Exit codes: 0 measured, whatever the targets say; otherwise not.
"""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
import types

import global_limits
import many_nodes
import one_node
import report
from servers import ALL_CPUS, BUILD, CLIENT_CPU, PROCESSORS, ROOT, SERVER_CPU

SECTIONS = ("one-thread", "two-threads", "cluster", "in-process")


def read_options():
    quick = os.environ.get("QUICK", "") not in ("", "0")
    options = types.SimpleNamespace(
        start_s=time.monotonic(), quick=quick,
        rounds=int(os.environ.get("ROUNDS", 3 if quick else 5)),
        requests=int(os.environ.get("REQUESTS", 8_000 if quick else 40_000)),
        open_seconds=1 if quick else 2, kill_seconds=2 if quick else 4,
        only=os.environ.get("ONLY", " ".join(SECTIONS)).split())
    if options.rounds < 1 or options.requests < 100 or not set(options.only) <= set(SECTIONS):
        sys.exit(f"bench: ROUNDS >= 1, REQUESTS >= 100, ONLY some of: {' '.join(SECTIONS)}")
    return options


def first_line(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          cwd=ROOT, check=False)
    return (done.stdout.splitlines() or ["?"])[0]


def machine(options):
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        model = re.search(r"model name\s*: (.*)", cpuinfo.read())
    return [
        f"Gub at {first_line('git', 'describe', '--always', '--dirty')}, "
        f"{first_line('redis-server', '--version')}",
        f"{model[1] if model else platform.machine()}, {len(PROCESSORS)} processors, "
        f"{platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f} at the start",
        f"medians of {options.rounds} rounds, 50 connections; one thread and three nodes: servers "
        f"on processor {SERVER_CPU}, clients on {CLIENT_CPU}; two threads: all on {ALL_CPUS}",
        "CPU us: processor time of the server for a request; ratios are to the row of the same "
        "setting and pipeline, and the floor is Gub's PING",
        "waited: the share of its time that the server was ready and had to wait for its "
        "processor. With one thread others had it: above 0.1, latencies and rates are theirs",
    ]


def in_process_ratios(options):
    """How many times as many decisions two threads make as one, without sockets: on one limiter,
    and with a limiter each, which is what the machine allows."""
    names = ("BM_MillionKeys/leaky:0", "BM_OwnLimiter")
    command = [
        BUILD / "tests/limiter_bench", f"--benchmark_filter={'|'.join(names)}",
        "--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
        f"--benchmark_repetitions={2 * options.rounds + 1}", "--benchmark_min_time=0.2"]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    rates = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row["run_type"] == "iteration":
            name = next(name for name in names if row["run_name"].startswith(name))
            rates.setdefault((name, row["threads"]), []).append(row["items_per_second"])
    return [statistics.median(rates[name, 2]) / statistics.median(rates[name, 1]) for name in names]


def measure(options, results):
    """The ratios of in_process_ratios; all else is in the results."""
    threads_ratios = [None, None]
    if "in-process" in options.only:
        threads_ratios = in_process_ratios(options)
    for threads, section in ((1, "one-thread"), (2, "two-threads")):
        if section not in options.only:
            continue
        bench = one_node.Bench(options, threads)
        try:
            bench.run(results)
            if threads == 1:
                bench.run_open(results)
        finally:
            bench.stop()
    if "cluster" in options.only:
        many_nodes.run(options, results)
        global_limits.run(options, results)
    return threads_ratios


def write(lines, results):
    folder = BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / time.strftime("bench-%Y%m%d-%H%M%S.txt", time.gmtime())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    samples = [{"setting": setting, "row": row, "pipeline": pipeline, "rounds": rounds}
               for (setting, row, pipeline), rounds in results.samples.items()]
    path.with_suffix(".json").write_text(json.dumps(samples, indent=1) + "\n", encoding="utf-8")
    return path


def main():
    options = read_options()
    results = report.Results()
    lines = machine(options)
    shared, own = measure(options, results)
    lines += [f"load {os.getloadavg()[0]:.1f} at the end, after "
              f"{time.monotonic() - options.start_s:.0f} s", ""]
    if results.samples:
        lines += report.main_table(results) + [""]
    lines += report.target_table(results, shared)
    if own is not None:
        lines += ["", f"Two threads with a limiter each make {own:.2f} times the decisions of one: "
                      "what the machine allowed."]
    print("\n".join(lines))
    print(f"bench: written to {os.path.relpath(write(lines, results))}, and every round beside it")


if __name__ == "__main__":
    main()
