#!/usr/bin/python3
"""`make bench-micro`: what each step of a request costs in time, and how many instructions a
request takes, beside those that tests/bench/instructions.txt keeps.

Environment: BUILD (build), QUICK (1 for a short run), REPETITIONS (5, quick 1), FILTER (a regular
expression of the steps to time), WRITE (1 only writes the kept instructions anew).
Exit codes: 0 measured, 1 the instructions are not as kept, otherwise not measured.
"""

import json
import os
import statistics
import subprocess
import sys

import instructions
from servers import BUILD, CLIENT_CPU, PROCESSORS


def is_set(name):
    return os.environ.get(name, "") not in ("", "0")


def time_steps():
    """Prints ns of processor time an item, by median, and how far the repetitions lie apart."""
    quick = is_set("QUICK")
    done = subprocess.run(
        ["taskset", "-c", CLIENT_CPU, str(BUILD / "tests/micro_bench"), "--benchmark_format=json",
         "--benchmark_filter=" + os.environ.get("FILTER", "."),
         "--benchmark_enable_random_interleaving=true",
         f"--benchmark_repetitions={os.environ.get('REPETITIONS', 1 if quick else 5)}",
         f"--benchmark_min_time={0.05 if quick else 0.2}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row["run_type"] == "iteration":
            key = row["family_index"], row["per_family_instance_index"], row["run_name"]
            found.setdefault(key, []).append(1e9 / row["items_per_second"])
    print(f"== ns a request, on processor {CLIENT_CPU} of {len(PROCESSORS)}, "
          f"load {os.getloadavg()[0]:.1f}")
    print(f"{'step':<32} {'median':>9} {'least':>9} {'most':>9}")
    for (_, _, name), ns in sorted(found.items()):
        name = name.removeprefix("BM_")
        print(f"{name:<32} {statistics.median(ns):>9.1f} {min(ns):>9.1f} {max(ns):>9.1f}")


def main():
    counted_build = (BUILD / "tests/counted_build.txt").read_text(encoding="utf-8")
    arguments = ["--build", counted_build, str(BUILD / "tests/hit_count")]
    if is_set("WRITE"):
        return instructions.main(["--write", *arguments])
    time_steps()
    print("== instructions a request")
    status = instructions.main(arguments)
    return 0 if status == instructions.SKIPPED else status


if __name__ == "__main__":
    sys.exit(main())
