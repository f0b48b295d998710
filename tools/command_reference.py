#!/usr/bin/python3
"""README.md's command reference, made from what a server says of itself (COMMAND, COMMAND DOCS).

  tools/command_reference.py [--server PATH]            print it
  tools/command_reference.py [--server PATH] --write    put it between the marks in README.md

PATH is the server to ask, by default build/gub-server. It is started on a free port and stopped.
Exit codes: 0 done, 1 not (the reason is on stderr).
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import threading

import redis

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- commands:begin -->"
END = "<!-- commands:end -->"

START_DEADLINE_S = 60
STOP_DEADLINE_S = 30

# The order of the reference: what decides comes first, then what clients and operators need.
GROUPS = {
    "limiter": "The limiter",
    "generic": "Keys of CL.THROTTLE and GUB.TAKE",
    "string": "Keys as strings",
    "scripting": "Aliases for clients that know only Redis' own commands",
    "server": "The server",
    "connection": "The connection",
    "transactions": "Transactions",
    "pubsub": "Subscriptions",
    "cluster": "The cluster",
}


@contextlib.contextmanager
def running_server(binary, *options, max_keys=10_000):
    """The port of a server that is ready, until the block ends."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GUB_OPT_")}
    command = [str(binary), "--port", "0", "--http-port", "0", "--bind", "127.0.0.1", "--max-keys", str(max_keys)]
    process = subprocess.Popen(
        [*command, *options], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield _port_when_ready(process)
    finally:
        process.terminate()
        deadline = threading.Timer(STOP_DEADLINE_S, process.kill)
        deadline.start()
        # Reading on to the end keeps the server from waiting for room in the pipe.
        said = process.communicate()[1]
        deadline.cancel()
    if process.returncode != 0:
        raise RuntimeError(f"the server ended with {process.returncode}; it said:\n{said}")


def _port_when_ready(process):
    deadline = threading.Timer(START_DEADLINE_S, process.kill)
    deadline.start()
    said, port = "", 0
    for line in process.stderr:
        said += line
        listening = re.search(r" listening address=127\.0\.0\.1:(\d+)$", line.rstrip())
        port = int(listening.group(1)) if listening else port
        if " ready " in line and port:
            deadline.cancel()
            return port
    deadline.cancel()
    raise RuntimeError(f"the server did not get ready; it said:\n{said}")


def raw_client(port):
    """A client that hands out replies as they came, with text instead of bytes."""
    client = redis.Redis(port=port, decode_responses=True)
    client.response_callbacks.clear()
    return client


def pairs(reply):
    """A map as RESP2 has it, a flat array, or as RESP3 has it."""
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2]))


def syntax_of(argument):
    """An argument as one writes it: `[BURST n]`."""
    argument = pairs(argument)
    flags = argument.get("flags", [])
    parts = [syntax_of(part) for part in argument.get("arguments", [])]
    if argument["type"] == "pure-token":
        text = argument["token"]
    elif argument["type"] == "oneof":
        text = " | ".join(parts)
    elif argument["type"] == "block":
        text = " ".join(parts)
    else:
        text = argument["name"]
    if "token" in argument and argument["type"] != "pure-token":
        text = f"{argument['token']} {text}"
    if "multiple" in flags:
        text = f"{text} [{text} ...]"
    return f"[{text}]" if "optional" in flags else text


def rows_of(name, arity, docs):
    """(syntax, summary, complexity) of a command and its subcommands."""
    docs = pairs(docs)
    subcommands = pairs(docs.get("subcommands", []))
    # A command that only holds subcommands wants at least two words.
    if not subcommands or arity in (1, -1):
        words = [name.replace("|", " ").upper(), *map(syntax_of, docs.get("arguments", []))]
        yield " ".join(words), docs["summary"], docs["complexity"]
    for sub, sub_docs in subcommands.items():
        if not sub.endswith("|help"):
            yield from rows_of(sub, None, sub_docs)


def render(port):
    """The reference as Markdown, marks included."""
    client = raw_client(port)
    arity = {entry[0]: entry[1] for entry in client.execute_command("COMMAND")}
    docs = pairs(client.execute_command("COMMAND DOCS"))
    of_group = {}
    for name, doc in docs.items():
        of_group.setdefault(pairs(doc)["group"], []).append(name)
    lines = [BEGIN]
    for group in sorted(of_group, key=[*GROUPS, *of_group].index):
        lines += ["", f"**{GROUPS.get(group, group)}**", "", "| command | what it does | cost |"]
        lines += ["|---|---|---|"]
        for name in of_group[group]:
            for syntax, summary, complexity in rows_of(name, arity[name], docs[name]):
                syntax = syntax.replace("|", "\\|")
                lines.append(f"| `{syntax}` | {summary} | {complexity} |")
    return "\n".join([*lines, "", END])


def block_in(text):
    """Where the reference stands in `text`, marks included."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise RuntimeError(f"README.md has no {BEGIN} before {END}")
    return slice(begin, end + len(END))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=ROOT / "build/gub-server")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    try:
        with running_server(options.server) as port:
            reference = render(port)
        if not options.write:
            print(reference)
            return 0
        readme = ROOT / "README.md"
        text = readme.read_text(encoding="utf-8")
        place = block_in(text)
        readme.write_text(text[: place.start] + reference + text[place.stop :], encoding="utf-8")
        return 0
    except (OSError, RuntimeError, redis.RedisError) as error:
        print(f"command_reference: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
