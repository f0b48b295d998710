#!/usr/bin/python3
"""The client matrix: what Redis clients of many languages make of a gub-server.

    tests/clients/run.py [--set debian|extra|all] [--only TEXT] [--cache DIR] GUB_SERVER

Each client is a row of clients.py, with a driver in its own language below drivers/. It is run
against two fresh servers, one of them with a password. The table at the end has ok, FAIL, or -
for what the client does not have. The status is 1 when a cell is FAIL.
"""

import argparse
import pathlib
import re
import sys
import time

import clients
import servers
import workshop

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVER_SECONDS = 180
HEADINGS = ("RESP2", "RESP3", "hit", "pipeline", "transaction", "auth", "error reply",
            "binary key", "1000 concurrent")


class Row:
    """A line of the table, and what to show when it has a FAIL."""

    def __init__(self, client):
        self.client = client
        self.version = "?"
        self.cells = {check: "-" if check in client.lacks else "FAIL" for check in clients.CHECKS}
        self.not_installed = ""
        self.trouble = ""
        self.seconds = 0.0

    @property
    def failed(self):
        return not self.not_installed and ("FAIL" in self.cells.values() or bool(self.trouble))

    def read(self, output):
        """Takes the version and the verdicts from a driver's output."""
        for line in output.splitlines():
            word, _, rest = line.partition(" ")
            if word == "version":
                self.version = rest
            elif self.cells.get(word) == "FAIL" and rest == "ok":
                self.cells[word] = "ok"


def run_driver(row, folder, program):
    """Runs a client's driver against two servers of its own."""
    plain = servers.Server(program)
    guarded = servers.Server(program, "--requirepass", servers.PASSWORD)
    status, output = workshop.run(
        (*row.client.run, servers.HOST, str(plain.port), str(guarded.port), servers.PASSWORD),
        folder, DRIVER_SECONDS)
    errors = [error for error in (plain.stop(), guarded.stop()) if error]
    row.read(output)
    if status != 0:
        errors.append(f"the driver ended with status {status}")
    if errors or "FAIL" in row.cells.values():
        row.trouble = "\n".join([output.strip(), *errors])


def test_client(client, shop, program):
    row = Row(client)
    started = time.monotonic()
    try:
        run_driver(row, shop.prepare(client), program)
    except workshop.NotInstalled as error:
        if client.is_extra:
            row.not_installed = str(error)
        else:
            row.trouble = str(error)
    except RuntimeError as error:
        row.trouble = str(error)
    row.seconds = time.monotonic() - started
    return row


def table(rows):
    """All rows as a Markdown table, with columns that line up."""
    lines = [("client", "version", *HEADINGS)]
    for row in rows:
        if row.not_installed:
            lines.append((row.client.name, "not installed", *[""] * len(HEADINGS)))
        else:
            lines.append((row.client.name, row.version, *row.cells.values()))
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
        for line in lines)


def chosen_clients(arguments):
    chosen = []
    if arguments.set in ("debian", "all"):
        chosen += clients.debian_clients()
    if arguments.set in ("extra", "all"):
        chosen += clients.extra_clients()
    return [client for client in chosen if re.search(arguments.only, client.name, re.IGNORECASE)]


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the client matrix against a gub-server.")
    parser.add_argument("--set", choices=("debian", "extra", "all"), default="debian")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only the clients whose names match this expression")
    parser.add_argument("--cache", default=ROOT / "build" / "clients", metavar="DIR",
                        help="where clients are installed and built (build/clients)")
    parser.add_argument("server", metavar="GUB_SERVER", help="the server program")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.server).is_file():
        parser.error(f"there is no {arguments.server}")
    return arguments


def main():
    arguments = parse_arguments()
    program = str(pathlib.Path(arguments.server).resolve())
    shop = workshop.Workshop(arguments.cache)
    rows = []
    for client in chosen_clients(arguments):
        row = test_client(client, shop, program)
        rows.append(row)
        verdict = "not installed" if row.not_installed else "FAIL" if row.failed else "ok"
        print(f"{client.name}: {verdict} ({row.seconds:.1f} s)", flush=True)
    for row in rows:
        if row.failed:
            print(f"\n--- {row.client.name} ---\n{row.trouble}")
    print("\n" + table(rows))
    for row in rows:
        if row.not_installed:
            print(f"{row.client.name} is not installed: {row.not_installed}")
    failed = sum(row.failed for row in rows)
    passed = sum(not row.failed and not row.not_installed for row in rows)
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
