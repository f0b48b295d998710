#!/usr/bin/python3
"""Runs clang-tidy (.clang-tidy says what it checks) over the files of src/, JOBS at a time, with the
compile commands of the clang preset, which is only configured, not built.

Nearly all the time that clang-tidy takes for one file goes into the headers that it includes. So
files of one folder are read together, as one text that has them in a row; what is found is told of
their own lines. Files of a group have no name in common that only one of them should know; where
clang finds that they do not go together, each is checked alone.

A file that was found clean is passed over until something that matters changes: itself, one of our
headers that it includes, its compile command, .clang-tidy, or clang-tidy. The digest of all these
is what build/lint/clean/FILE holds.
Exit codes: 0 clean, 1 something was found (and printed), 2 the tree cannot be configured.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path("build/lint")
CLEAN, GROUPS = BUILD / "clean", BUILD / "groups"
MOST_IN_GROUP = 10
FOUND = re.compile(r"^(\S+?):(\d+):(\d+: .*)$")
NAMES = (re.compile(r"^(?:class|struct|enum class|enum) (\w+)"), re.compile(r"^using (\w+) ="),
         re.compile(r"^(?=\w)[\w:<>,*&\[\] ]*?(?<!:)\b(\w+)(?:\(| =|\{|;|\[)"))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Source:
    """A file, and how it is compiled."""

    def __init__(self, path, command):
        self.path = path
        self.text = pathlib.Path(path).read_text()
        words = shlex.split(command)
        self.flags = words[1:words.index("-o")]
        self.names = frozenset(self.private_names())

    def private_names(self):
        """What is declared at the left edge, roughly; not members of classes, which have theirs."""
        for line in self.text.splitlines():
            found = next(filter(None, (name.match(line) for name in NAMES)), None)
            if found and not line.startswith("template"):
                yield found[1]

    def digest(self, version):
        """Of all that its result depends on."""
        made = run("clang++", *self.flags, "-MM", self.path).stdout.replace("\\\n", " ")
        inputs = [".clang-tidy", *sorted(made.split(":", 1)[1].split())] if made else []
        digest = hashlib.sha256(f"{version} {self.flags}".encode())
        for path in inputs:
            digest.update(pathlib.Path(path).read_bytes())
        return digest.hexdigest()


def grouped(sources):
    groups = collections.defaultdict(list)
    for source in sources:
        # What a file defines for the preprocessor is its own.
        alone = re.search(r"^#\s*define", source.text, re.M)
        kind = (source.path if alone else os.path.dirname(source.path), tuple(source.flags))
        fits = [group for group in groups[kind] if len(group) < MOST_IN_GROUP
                and not any(source.names & other.names for other in group)]
        if fits:
            fits[0].append(source)
        else:
            groups[kind].append([source])
    return [group for kind in groups.values() for group in kind]


def tell(lines, group, name):
    """What clang-tidy has printed, of the files' own lines."""
    starts, line = [], 1
    for source in group:
        starts.append((line, source.path))
        line += source.text.count("\n")
    for text in lines:
        found = FOUND.match(text)
        if found and found[1].endswith(name):
            start, path = max(s for s in starts if s[0] <= int(found[2]))
            yield f"{path}:{int(found[2]) - start + 1}:{found[3]}"
        else:
            yield text


def check(group):
    """What is found, as lines; none: all is clean."""
    if len(group) == 1:
        name = group[0].path
    else:
        name = str(GROUPS / (group[0].path.replace("/", ":") + f"+{len(group) - 1}.cc"))
        pathlib.Path(name).write_text("".join(source.text for source in group))
    result = run("clang-tidy", "--quiet", name, "--", *group[0].flags)
    if result.returncode == 0:
        return []
    if len(group) > 1 and "[clang-diagnostic-error]" in result.stdout:
        return [line for source in group for line in check([source])]
    lines = result.stdout.splitlines()
    return list(tell(lines, group, name)) if len(group) > 1 else lines + result.stderr.splitlines()


def show(lines, seen):
    """What is found in a header is found in every file that includes it; it is shown once."""
    shown = True
    for line in lines:
        if re.match(r"(\d+ (warning|error)|Error while processing|Suppressed )", line):
            continue
        if re.search(r": (error|warning): ", line):
            shown = line not in seen
            seen.add(line)
        if shown:
            print(line)


def main():
    os.chdir(ROOT)
    for folder in (CLEAN, GROUPS):
        folder.mkdir(parents=True, exist_ok=True)
    made = run("cmake", "--preset", "clang", "-B", str(BUILD), "-DBUILD_TESTING=OFF")
    if made.returncode != 0:
        print(made.stdout, made.stderr)
        return 2
    commands = {os.path.relpath(entry["file"], ROOT): entry["command"]
                for entry in json.loads((BUILD / "compile_commands.json").read_text())}
    version = run("clang-tidy", "--version").stdout
    paths = sorted(str(path) for path in pathlib.Path("src").rglob("*.cc"))
    found = [[f"{path}:1: error: no target compiles this file"]
             for path in paths if path not in commands]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as all_:
        sources = [Source(path, commands[path]) for path in paths if path in commands]
        digests = dict(zip(sources, all_.map(lambda source: source.digest(version), sources)))
        stamps = {source: CLEAN / source.path for source in sources}
        stale = [source for source in sources if not stamps[source].is_file()
                 or stamps[source].read_text() != digests[source]]
        # The largest first, so that no long one is left over at the end.
        groups = sorted(grouped(stale), key=lambda group: -len(group))
        for group, lines in zip(groups, all_.map(check, groups)):
            found.append(lines)
            for source in group if not lines else ():
                stamps[source].parent.mkdir(parents=True, exist_ok=True)
                stamps[source].write_text(digests[source])
    seen = set()
    for lines in found:
        show(lines, seen)
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
