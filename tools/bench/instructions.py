#!/usr/bin/python3
"""How many instructions a request takes, counted by callgrind: exactly, and the same every time.

  tools/bench/instructions.py --build DESCRIPTION HIT_COUNT            compares with the file
  tools/bench/instructions.py --build DESCRIPTION --write HIT_COUNT    writes the file anew

HIT_COUNT is the program build/tests/hit_count. DESCRIPTION says what it was built with and how: the
figures of tests/bench/instructions.txt hold for the one they were counted with, and no other.
Exit codes: 0 all within 3 % of the file (or written), 1 not, 77 the file is of another build.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/bench/instructions.txt"
HEAD = """\
# Instructions a request takes, from its bytes to those of its reply, in process: parser, dispatch,
# store, writer. tools/bench/instructions.py counts them, a test compares them within 3 %. Whoever
# changes the way of a request on purpose writes them anew: `make bench-micro WRITE=1`.
"""
TOLERANCE = 0.03
ROUNDS = (2, 10)
CASES = [("ping", 16), ("token", 1), ("token", 16), ("token", 64), ("leaky", 16), ("take", 16)]
SKIPPED = 77
DEADLINE_S = 120


def collected(program, what, pipeline, rounds):
    """(instructions of the whole run, requests of a round)."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what,
         str(pipeline), str(rounds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=DEADLINE_S, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"instructions: {what} {pipeline} {rounds}: {done.stderr}")
    return int(found[1]), int(done.stdout)


def instructions(program, what, pipeline):
    """Of one request. Start, end and warm-up are in both runs, and so not in the difference."""
    (few, requests), (many, _) = (collected(program, what, pipeline, n) for n in ROUNDS)
    return (many - few) / ((ROUNDS[1] - ROUNDS[0]) * requests)


def read_file():
    """(description of the build, {(what, pipeline): instructions})."""
    build, figures = "", {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("build "):
            build = line[len("build "):]
        elif line and not line.startswith("#"):
            what, pipeline, count = line.split()
            figures[what, int(pipeline)] = float(count)
    return build, figures


def write(options):
    lines = [f"build {options.build}"]
    for what, pipeline in CASES:
        count = instructions(options.program, what, pipeline)
        lines.append(f"{what:<6} {pipeline:>3} {count:>8.1f}")
        print(lines[-1], flush=True)
    FILE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def compare(options):
    """Whether all is as the file says. Fewer are not, either: the file is to say so."""
    _, kept = read_file()
    good = True
    print(f"{'request':<8} {'pipeline':>8} {'kept':>9} {'now':>9}  change")
    for what, pipeline in CASES:
        now, then = instructions(options.program, what, pipeline), kept[what, pipeline]
        change = now / then - 1
        is_off = abs(change) > TOLERANCE
        off = "  more than 3 %: see tests/bench/instructions.txt" if is_off else ""
        good = good and not is_off
        print(f"{what:<8} {pipeline:>8} {then:>9.1f} {now:>9.1f}  {100 * change:+.2f} %{off}",
              flush=True)
    return good


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args(arguments)
    kept_build = options.build if options.write else read_file()[0]
    if options.build != kept_build:
        print(f"instructions: skipped, this is a build by {options.build}, "
              f"and tests/bench/instructions.txt one by {kept_build}")
        return SKIPPED
    if shutil.which("valgrind") is None:
        sys.exit("instructions: valgrind is not installed: make deps")
    if options.write:
        write(options)
        return 0
    return 0 if compare(options) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
