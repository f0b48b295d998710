"""Servers to be measured: started on free ports of 127.0.0.1, each on the processors it is given,
and stopped by pid. What they cost is read from /proc.
"""

import os
import pathlib
import socket
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position

# Servers run on one processor and clients on another, so that neither takes the other's time.
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_CPU = os.environ.get("SERVER_CPU") or str(PROCESSORS[0])
CLIENT_CPU = os.environ.get("CLIENT_CPU") or str(PROCESSORS[1 % len(PROCESSORS)])
ALL_CPUS = ",".join(map(str, PROCESSORS))


class ReplyError(Exception):
    """The server answered with an error."""


def read_reply(stream):
    line = stream.readline().rstrip(b"\r\n")
    kind, rest = line[:1], line[1:]
    if kind == b"-":
        raise ReplyError(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else stream.read(int(rest) + 2)[:-2].decode()
    if kind == b"*":
        return [read_reply(stream) for _ in range(int(rest))]
    return rest.decode()


class Server(nodes.Program):
    def __init__(self, command, port, cpus):
        self.port = port
        self.address = f"{nodes.HOST}:{port}"
        super().__init__(["taskset", "-c", cpus, *command])

    def call(self, *words):
        """One request on a connection of its own."""
        parts = [str(word).encode() for word in words]
        request = b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)
        with socket.create_connection((nodes.HOST, self.port), timeout=nodes.DEADLINE_S) as client:
            client.sendall(request)
            with client.makefile("rb") as stream:
                return read_reply(stream)

    def times_us(self):
        """The processor time of all its threads so far, and how long they were ready to run while
        others had the processor. The first is utime + stime, but in ns, where the kernel tells."""
        tasks = pathlib.Path(f"/proc/{self.pid}/task")
        try:
            fields = [(task / "schedstat").read_text().split() for task in tasks.iterdir()]
            return [sum(int(field[column]) for field in fields) / 1000 for column in (0, 1)]
        except FileNotFoundError:
            fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return [(int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK"), 0.0]


class Cost:
    """What servers cost from here on."""

    def __init__(self, *servers):
        self.servers = servers
        self.before = [server.times_us() for server in servers]

    def read(self, requests):
        """{"cpu": us a request, by all of them, "by": the same of each, "waited": the share of its
        running time that the first had to wait for a processor}."""
        spent = [[now - then for now, then in zip(server.times_us(), before)]
                 for server, before in zip(self.servers, self.before)]
        cpu_us, waited_us = spent[0]
        by = [cpu / requests for cpu, _ in spent]
        return {"cpu": sum(by), "by": by, "waited": waited_us / max(cpu_us + waited_us, 1)}


class Gub(Server):
    def __init__(self, *options, port=None, cpus=SERVER_CPU, threads=1, max_keys=2_000_000):
        port = port or nodes.free_ports(1)
        super().__init__([
            BUILD / "gub-server", "--port", port, "--http-port", 0, "--bind", nodes.HOST, "--threads", threads,
            "--max-keys", max_keys, *options], port, cpus)
        self.wait_for_log(" ready ")


class Redis(Server):
    def __init__(self, cpus=SERVER_CPU):
        port = nodes.free_ports(1)
        super().__init__(["redis-server", "--port", port, "--bind", nodes.HOST, "--save", "",
                          "--appendonly", "no"], port, cpus)
        self.wait_for_log("Ready to accept connections")


class Cluster:
    """Three nodes with a static list. The first is the one that clients call here."""

    def __init__(self, cpus=SERVER_CPU):
        first = nodes.free_ports(3)
        ports = range(first, first + 3)
        peers = [f"{nodes.HOST}:{port}" for port in ports]
        self.nodes = [
            Gub("--cluster-enabled", "yes", "--peers", *peers, port=port, cpus=cpus,
                max_keys=300_000) for port in ports]
        for node in self.nodes:
            tag = self.tag_of(node)
            nodes.eventually(lambda tag=tag: self._is_decided_by_owner(tag), "all links are up")

    def tag_of(self, owner):
        """A hash tag whose keys the node owns."""
        return next(tag for tag in (f"{{t{number}}}" for number in range(1000))
                    if self.nodes[0].call("GUB.OWNER", tag) == owner.address)

    def _is_decided_by_owner(self, tag):
        reply = self.nodes[0].call("GUB.HIT", "warm-up", tag, 0, 10, "1h", "FULL")
        return dict(zip(reply[::2], reply[1::2]))["degraded"] == 0

    def link(self, owner):
        """The counts of the first node's links to another, from INFO."""
        for line in self.nodes[0].call("INFO", "cluster").splitlines():
            if line.startswith("peer") and f"address={owner.address}," in line:
                fields = dict(f.split("=", 1) for f in line.split(":", 1)[1].split(","))
                return {name: int(fields[name])
                        for name in ("batches", "requests", "largest_batch")}
        raise AssertionError(f"INFO does not name {owner.address}")

    def stop(self):
        for node in self.nodes:
            node.stop()
