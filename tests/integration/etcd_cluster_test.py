#!/usr/bin/python3
"""Nodes that find each other by a real etcd: etcd_cluster_test.py PATH_OF_GUB_SERVER

Whatever happens to nodes and etcd, all nodes come to agree on the members, and all the while hits
are answered through every node.
"""

import pathlib
import random
import signal
import sys
import threading
import time
import unittest

import redis

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
# A sanitizer keeps what is freed for a while.
SANITIZED = any(name in pathlib.Path(SERVER).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
PREFIX = "/gub/members/"
LEASE_S = 2  # the shortest that etcd grants


class Hitter:
    """Hits keys of all owners through one node, from its start to stop()."""

    def __init__(self, port):
        self.client = redis.Redis(port=port, socket_timeout=nodes.DEADLINE_S)
        self.answered = 0
        self.longest_s = 0.0
        self.error = None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        # In a rhythm, which leaves the machine to others.
        while not self.stopping.wait(0.002):
            key, start = f"key:{random.randrange(1000)}", time.monotonic()
            try:
                reply = self.client.execute_command("GUB.HIT", "n", key, 1, 1_000_000, "1h")
                if len(reply) != 3 or reply[0] != 0:
                    raise AssertionError(reply)
            except (redis.RedisError, AssertionError) as error:
                self.error = error
                return
            self.answered += 1
            self.longest_s = max(self.longest_s, time.monotonic() - start)

    def stop(self):
        self.stopping.set()
        self.thread.join()
        self.client.close()


class EtcdClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.etcd = nodes.Etcd()
        cls.addClassCleanup(cls.etcd.close)
        first = nodes.free_ports(3)
        cls.three = [cls.node(port) for port in range(first, first + 3)]
        for node in cls.three:
            cls.addClassCleanup(node.stop)
        cls.converge(cls.three, "the start")

    @classmethod
    def tearDownClass(cls):
        ends = [node.stop() for node in cls.three]
        if ends != [0, 0, 0]:
            raise RuntimeError(f"the nodes ended with {ends}")

    @classmethod
    def node(cls, port):
        return nodes.Node(
            SERVER, port, "--discovery", "etcd", "--etcd-endpoints", cls.etcd.address,
            "--etcd-prefix", PREFIX, "--etcd-lease-s", LEASE_S, "--leave-grace-ms", 15_000,
            on_owner_failure="local", peer_timeout_ms=1000)

    @staticmethod
    def call(node, *words):
        with redis.Redis(port=node.port, decode_responses=True,
                         socket_timeout=nodes.DEADLINE_S) as client:
            return client.execute_command(*words)

    @classmethod
    def members(cls, node):
        """What a node says of all: their addresses, each with its number of slots."""
        peers = [dict(zip(peer[::2], peer[1::2])) for peer in cls.call(node, "GUB.PEERS")]
        return {peer["address"]: peer["slots"] for peer in peers}

    @classmethod
    def converge(cls, members, after):
        """Waits until these see just these, all alike; tells how long that took."""
        start = time.monotonic()
        wanted = {node.address for node in members}

        def do():
            lists = [cls.members(node) for node in members]
            return set(lists[0]) == wanted and all(seen == lists[0] for seen in lists)

        nodes.eventually(do, f"all agree after {after}")
        print(f"\nall agree {time.monotonic() - start:.2f} s after {after}")

    def setUp(self):
        self.fallbacks = self.count_fallbacks()
        self.hitters = [Hitter(node.port) for node in self.three]
        for hitter in self.hitters:
            self.addCleanup(hitter.stop)

    def tearDown(self):
        """All three live on, and go on answering."""
        for hitter in self.hitters:
            before = hitter.answered
            nodes.eventually(
                lambda h=hitter, b=before: h.error is not None or h.answered >= b + 20, "hits")
            hitter.stop()
            self.assertIsNone(hitter.error)
        self.assertTrue(all(node.is_running() for node in self.three))
        print(f"{sum(hitter.answered for hitter in self.hitters)} hits were answered, "
              f"{self.count_fallbacks() - self.fallbacks} of them by a stand-in, the slowest in "
              f"{1000 * max(hitter.longest_s for hitter in self.hitters):.0f} ms")

    def count_fallbacks(self):
        return sum(self.call(node, "INFO", "cluster")["fallback_answers"] for node in self.three)

    def epochs(self):
        """How often each node has seen the members change."""
        return [self.call(node, "INFO", "cluster")["cluster_epoch"] for node in self.three]

    def registered(self):
        return self.etcd.leases(PREFIX)

    def wait_for_registrations(self, other_than=None):
        """Until all three are in etcd, and none has the lease that it must not have."""
        def do():
            now = self.registered()
            return set(now) == {node.address for node in self.three} and not (
                set(now.items()) & set((other_than or {}).items()))
        nodes.eventually(do, "all are in etcd")

    def test_a_fourth_joins_and_leaves(self):
        fourth = self.node(nodes.free_ports(1))
        self.addCleanup(fourth.stop)
        self.converge([*self.three, fourth], "a join")
        self.assertEqual(fourth.stop(), 0)
        self.assertNotIn(fourth.address, self.registered())
        self.converge(self.three, "a leave")

    def test_a_fourth_is_killed(self):
        fourth = self.node(nodes.free_ports(1))
        self.addCleanup(fourth.stop)
        self.converge([*self.three, fourth], "another join")
        fourth.send(signal.SIGKILL)
        fourth.wait()
        self.converge(self.three, "a kill, as the lease lapsed")

    def test_etcd_is_away_for_longer_than_the_leases(self):
        epochs = self.epochs()
        self.etcd.stop()
        away_since = time.monotonic()
        for node in self.three:
            nodes.eventually(lambda n=node: "the members cannot be read" in n.log(), "trouble")
        nodes.eventually(lambda: time.monotonic() > away_since + LEASE_S + 1, "the leases' end")
        self.converge(self.three, "etcd went")
        self.etcd.start()
        self.wait_for_registrations()
        self.converge(self.three, "etcd came back")
        self.assertEqual(self.epochs(), epochs)

    def test_etcd_comes_back_with_nothing(self):
        epochs, leases = self.epochs(), self.registered()
        self.etcd.stop()
        self.etcd.forget_everything()
        self.etcd.start()
        self.wait_for_registrations(other_than=leases)
        self.converge(self.three, "etcd came back empty")
        self.assertEqual(self.epochs(), epochs)

    def test_a_lease_is_revoked(self):
        epochs, before = self.epochs(), self.registered()
        for node in self.three:
            self.etcd.ask("/v3/lease/revoke", ID=before[node.address])
        self.wait_for_registrations(other_than=before)
        self.converge(self.three, "all leases were revoked")
        self.assertEqual(self.epochs(), epochs)

    def test_etcd_is_compacted_past_what_a_node_has_seen(self):
        frozen = self.three[1]
        frozen.send(signal.SIGSTOP)
        try:
            for i in range(20):
                revision = self.etcd.put(f"{PREFIX}noise", str(i))
            self.etcd.ask("/v3/kv/deleterange", key=nodes.base64_of(f"{PREFIX}noise"))
            self.etcd.ask("/v3/kv/compaction", revision=revision, physical=True)
            # It breaks the watches, and what this node has not seen of them is no longer there.
            self.etcd.stop()
            self.etcd.start()
        finally:
            frozen.send(signal.SIGCONT)
        self.wait_for_registrations()
        self.converge(self.three, "a compaction")
        # The watches work again.
        fourth = self.node(nodes.free_ports(1))
        self.addCleanup(fourth.stop)
        self.converge([*self.three, fourth], "a join after it")
        self.assertEqual(fourth.stop(), 0)
        self.converge(self.three, "a leave after it")

    def test_many_updates_leave_nothing_behind(self):
        """Hundreds that say the same, and as many that add a member and take it away. (With tens
        of thousands tests/unit/server/membership_keeper_test.cc does it, without etcd.)"""
        address = f"{nodes.HOST}:{nodes.free_ports(1)}"
        entry = (PREFIX + address, f'{{"address":"{address}"}}')
        self.etcd.update_many(*entry, 100)
        before = self.held()
        epochs = self.epochs()
        self.etcd.update_many(*entry, 400)
        self.converge(self.three, "1200 updates")
        self.assertTrue(all(now > then for now, then in zip(self.epochs(), epochs)))
        for (files, threads, kilobytes), node in zip(before, self.three):
            nodes.eventually(lambda n=node, f=files: self.held_by(n)[0] <= f + 2, "the files")
            self.assertEqual(self.held_by(node)[1], threads)
            if not SANITIZED:
                self.assertLessEqual(self.held_by(node)[2], kilobytes + 4096)

    def held(self):
        return [self.held_by(node) for node in self.three]

    @staticmethod
    def held_by(node):
        """How many files and threads a node has, and how many KB of memory."""
        status = dict(line.split(":", 1)
                      for line in pathlib.Path(f"/proc/{node.pid}/status").read_text().splitlines())
        files = len(list(pathlib.Path(f"/proc/{node.pid}/fd").iterdir()))
        return files, int(status["Threads"]), int(status["VmRSS"].split()[0])


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
