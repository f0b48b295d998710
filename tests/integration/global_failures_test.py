#!/usr/bin/python3
"""GLOBAL limits when nodes end, and peers lie: global_failures_test.py PATH_OF_GUB_SERVER"""

import hashlib
import hmac
import pathlib
import signal
import sys
import tempfile
import unittest

import redis

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position
from global_cluster import UNDER, Cluster, hit_words  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())


class FailuresTest(unittest.TestCase):
    def test_commands_that_forget_reach_what_is_lent(self):
        cluster = Cluster(self.addCleanup, SERVER, 3, threads=1)
        key = "forgotten"
        owner, peer = cluster.owner_of(key), cluster.others(key)[0]
        for forget in (lambda: cluster.clients[peer].execute_command("GUB.RESET", "n", key),
                       lambda: cluster.clients[owner].execute_command("FLUSHALL"),
                       lambda: cluster.clients[owner].execute_command(
                           "GUB.DEBUG", "CLOCK", "ADVANCE", 7_200_000)):
            for _ in range(30):
                cluster.hit(peer, key, 1, 1000)
            cluster.wait_for_left(key, 1000, 970)
            for _ in range(3):
                cluster.hit(peer, key, 1, 1000)
            forget()
            # What was spent after the owner's last news may be charged to the new window (G5).
            nodes.eventually(lambda: all(cluster.left(place, key, 1000) >= 997
                                         for place in range(3)), "it is whole again", 5)
            cluster.clients[owner].execute_command("FLUSHALL")
            cluster.wait_for_left(key, 1000, 1000)

    def test_after_sigterm_of_a_node_the_owner_knows_exactly_what_it_has_spent(self):
        cluster = Cluster(self.addCleanup, SERVER, 3, threads=2)
        key = "leaving"
        owner, peer = cluster.owner_of(key), cluster.others(key)[0]
        spent = 0
        for _ in range(3):
            batch = cluster.clients[peer].pipeline(transaction=False)
            for _ in range(100):
                batch.execute_command(*hit_words(key, 100_000))
            spent += sum(reply[0] == UNDER for reply in batch.execute())
        self.assertEqual(spent, 300)
        self.assertEqual(cluster.nodes[peer].stop(), 0)
        words = ("token", "BATCHING")
        # At once: nothing has to lapse.
        self.assertEqual(cluster.left(owner, key, 100_000, *words), 100_000 - spent)
        self.assertEqual(cluster.hit(owner, key, 100_000 - spent, 100_000, "1h", *words)[:2],
                         [UNDER, 0])

    def test_without_the_owner_the_rest_of_a_lease_is_spent_then_answers_are_degraded(self):
        cluster = Cluster(self.addCleanup, SERVER, 3, "--global-sync-ms", "1000", threads=1,
                          on_owner_failure="local", peer_timeout_ms=300)
        key = "orphaned"
        owner, peer = cluster.owner_of(key), cluster.others(key)[0]
        for _ in range(60):
            self.assertEqual(cluster.hit(peer, key, 1, 100)[0], UNDER)
        cluster.nodes[owner].stop(signal.SIGKILL)
        admitted, degraded = 60, 0
        for _ in range(150):
            full = cluster.hit(peer, key, 1, 100, "1h", "token", "GLOBAL", "FULL")
            reply = dict(zip(full[::2], full[1::2]))
            admitted += reply["status"] == UNDER
            degraded += reply["degraded"]
        self.assertGreater(degraded, 0)
        self.assertEqual(cluster.info(peer, "lease_degraded_answers"), degraded)
        # The stand-in begins with what was known to be used.
        self.assertLessEqual(admitted, 100)
        self.assertGreaterEqual(admitted, 90)

    def test_when_a_node_joins_leases_of_its_keys_end_and_those_of_others_stay(self):
        folder = tempfile.TemporaryDirectory(prefix="gub-members-")
        self.addCleanup(folder.cleanup)
        # Leases of 6 s, so that they are alive when the node has joined.
        cluster = Cluster(self.addCleanup, SERVER, 2, "--global-sync-ms", "2000", threads=1,
                          members_file=pathlib.Path(folder.name, "members"))
        keys = [f"moving{i}" for i in range(40)]
        before = {key: cluster.owner_of(key) for key in keys}
        for key in keys:
            for _ in range(5):
                self.assertEqual(cluster.hit(1 - before[key], key, 1, 100)[0], UNDER)
        cluster.grow()
        moved = [key for key in keys if cluster.owner_of(key) == 2]
        stayed = [key for key in keys if cluster.owner_of(key) == before[key]]
        self.assertEqual(sorted(moved + stayed), sorted(keys))
        self.assertTrue(moved and stayed, moved)
        for key in keys:
            for place in cluster.others(key):
                for _ in range(3):
                    self.assertEqual(cluster.hit(place, key, 1, 100)[0], UNDER)
        # A bucket does not move; what was lent of the old one is no longer spent.
        for key in moved:
            cluster.wait_for_left(key, 100, 100 - 6)
        for key in stayed:
            cluster.wait_for_left(key, 100, 100 - 5 - 6)
        # The rest is there to the last hit, at every node.
        for key, left in ((moved[0], 94), (stayed[0], 89)):
            admitted = cluster.hammer(lambda place, key=key: hit_words(key, 100), 0.5)
            self.assertEqual(sum(admitted), left)

    def test_a_new_process_behind_the_owners_address_is_another_owner(self):
        cluster = Cluster(self.addCleanup, SERVER, 2, threads=1, on_owner_failure="local", peer_timeout_ms=300)
        key = "restarted"
        owner, peer = cluster.owner_of(key), cluster.others(key)[0]
        for _ in range(50):
            self.assertEqual(cluster.hit(peer, key, 1, 1000)[0], UNDER)
        cluster.nodes[owner].stop(signal.SIGKILL)
        cluster.nodes[owner] = cluster.start(cluster.ports[owner])

        def is_lent_again():
            before = cluster.info(peer, "lease_local_answers")
            for _ in range(20):
                cluster.hit(peer, key, 1, 1000)
            return cluster.info(peer, "lease_local_answers") > before

        nodes.eventually(is_lent_again, "a lease of the new process", 15)
        self.assertGreater(cluster.left(owner, key, 1000), 0)


class HostileFramesTest(unittest.TestCase):
    """A peer that has proved itself, and sends frames of leases that no node would send."""

    def greet(self, port):
        self.client = redis.Redis(port=port)
        connection = self.client.connection_pool.get_connection("GUB.PEER")
        self.addCleanup(self.client.close)
        self.connection = connection
        own, address = "stranger", "127.0.0.1:1"
        version, id_, theirs, digest, nonce = self.ask(
            "GUB.PEER", "HELLO", 2, own, address, 0, "nonce", f"{nodes.HOST}:{port}")
        text = "".join(f"{len(part)}:{part}," for part in (
            "gub-peer", "asker", "nonce", nonce.decode(), own, address, id_.decode(),
            theirs.decode()))
        text += f"{version},0,{digest % 2**64}"
        proof = hmac.new(b"", text.encode(), hashlib.sha256).hexdigest()
        self.ask("GUB.PEER", "PROVE", proof)
        return own, id_.decode()

    def ask(self, *words):
        self.connection.send_command(*words)
        return self.connection.read_response()

    @staticmethod
    def number(value):
        out = bytearray()
        while value >= 0x80:
            out.append(value & 0x7f | 0x80)
            value >>= 7
        return bytes(out + bytes([value]))

    def string(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        return self.number(len(data)) + data

    def report(self, key, limit, hits):
        """As lease_frame.cc writes it: asks for a hit of a limit per hour."""
        duration = self.number(0) + self.number(3_600_000)
        return (self.string("n") + self.string(key) + self.number(0) + self.number(limit)
                + self.number(1) + duration + b"".join(map(self.number, (
                    1, 0, 0, 0, 0, 1, hits, 0))))

    def frame(self, sender, receiver, reports, answers=b"\0"):
        return (self.string(sender) + self.string(receiver) + self.number(len(reports))
                + b"".join(reports) + answers)

    def batch(self, lease):
        return self.ask("GUB.PEER", "BATCH", 1, 2**50, self.number(3) + self.string(lease))

    def test_they_change_nothing(self):
        cluster = Cluster(self.addCleanup, SERVER, 2, threads=1)
        key = cluster.key_of(0)
        self.assertEqual(cluster.hit(0, key, 3, 10)[1], 7)
        own, peer = self.greet(cluster.ports[0])
        good = self.frame(f"{own}/0", peer, [self.report(key, 10, 1)])
        bad = [b"", b"\xff" * 100, good[:-1], good + b"\0", good[:len(good) // 2],
               self.frame("somebody/0", peer, [self.report(key, 10, 1)]),
               self.frame(own, peer, [self.report(key, 10, 1)]),
               self.frame(f"{own}/x", peer, [self.report(key, 10, 1)]),
               self.frame(f"{own}/0", "somebody else", [self.report(key, 10, 1)]),
               self.frame(own, f"{peer}/9", []), self.frame(own, f"{peer}/", []),
               self.string(f"{own}/0") + self.string(peer) + self.number(2**60)]
        for i, lease in enumerate(bad):
            answer = self.batch(lease)
            self.assertEqual(answer[2], 0, lease)
            self.assertEqual(cluster.info(0, "lease_bad_frames"), i + 1, lease)
        # It can be read, but its sender is no member: it is told, and lent nothing.
        self.assertGreater(len(self.batch(good)[3]), 20)
        self.assertEqual(cluster.info(0, "leases_given"), 0)
        # Larger than any frame is.
        huge = self.number(3) + self.number(2**31) + b"x" * 100
        with self.assertRaises(redis.RedisError):
            self.ask("GUB.PEER", "BATCH", 2, 2**50, huge)
        self.assertEqual(cluster.hit(0, key, 0, 10)[1], 7)
        self.assertEqual(cluster.hit(1, key, 7, 10)[:2], [UNDER, 0])


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
