#!/usr/bin/python3
"""Answers that wait for another node, over HTTP: http_late_test.py PATH_OF_GUB_SERVER"""

import json
import pathlib
import re
import socket
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import http_cluster  # pylint: disable=wrong-import-position
import http_nodes  # pylint: disable=wrong-import-position
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
OWN, STALLED, OTHER = range(3)
FOR_GOOD_MS = 600_000
REFUSED = b"GET / HTTP/9.9\r\n\r\n"


def check(key, limit, fields=""):
    """A request; its answer tells the limit, and so which one it answers."""
    return (f"GET /v1/check?name=n&key={key}&limit={limit}&duration=1h HTTP/1.1\r\nHost: x\r\n"
            f"{fields}\r\n").encode()


def limits(answers):
    return [int(limit) for limit in re.findall(rb"X-RateLimit-Limit: (\d+)\r\n", answers)]


class LateTest(unittest.TestCase):
    """The first node is asked, on one thread; the second owns some of the keys and is silent."""

    def setUp(self):
        self.cluster = http_cluster.Cluster(SERVER, self, threads=1, peer_timeout_ms=60_000)
        self.keys = [self.cluster.key_of(node) for node in range(3)]
        self.cluster.stall(STALLED, FOR_GOOD_MS)
        self.asked = self.cluster.clients[OWN]

    def connect(self):
        peer = socket.create_connection((nodes.HOST, self.cluster.ports[OWN] + 3),
                                        timeout=nodes.DEADLINE_S)
        self.addCleanup(peer.close)
        return peer

    def metric(self, name):
        return http_nodes.metrics(self.asked)[name]

    def wait_for_forwarded(self, count):
        """Until so many requests wait for the other nodes, or have been answered by them."""
        nodes.eventually(lambda: self.metric("gub_forwarded_requests_total") >= count,
                         f"{count} requests are forwarded")

    def expect_nothing_to_read(self, peer):
        # What the loop has answered before this answer has been written.
        self.metric("gub_http_requests_total")
        peer.setblocking(False)
        with self.assertRaises(BlockingIOError):
            peer.recv(1)
        peer.settimeout(nodes.DEADLINE_S)

    def test_a_pipeline_is_answered_in_its_order(self):
        peer = self.connect()
        order = [OWN, STALLED, OWN, OTHER, STALLED, OTHER, OWN]
        peer.sendall(b"".join(check(self.keys[node], 100 + i) for i, node in enumerate(order)))
        answers = http_nodes.read_last(peer)
        self.assertEqual(limits(answers), [100])
        self.wait_for_forwarded(4)
        # Those of the other node have been answered by now, and wait behind.
        nodes.eventually(lambda: self.metric("gub_client_buffer_bytes") > 1000, "they are counted")
        self.expect_nothing_to_read(peer)
        self.cluster.stall(STALLED, 0)
        peer.shutdown(socket.SHUT_WR)
        answers += http_nodes.read_all(peer)
        self.assertEqual(limits(answers), list(range(100, 107)))
        self.assertEqual(answers.count(b"HTTP/1.1 200 OK\r\n"), 7)
        self.assertNotIn(b"X-Gub-Degraded", answers)

    def test_the_connection_is_closed_behind_the_answer_that_was_the_last_to_be_asked(self):
        peer = self.connect()
        close = "Connection: close\r\n"
        peer.sendall(check(self.keys[STALLED], 100) + check(self.keys[STALLED], 101, close) +
                     check(self.keys[OWN], 102))
        self.wait_for_forwarded(2)
        self.expect_nothing_to_read(peer)
        self.cluster.stall(STALLED, 0)
        answers = http_nodes.read_all(peer)
        self.assertEqual(limits(answers), [100, 101])
        self.assertEqual(answers.count(b"Connection: close\r\n"), 1)

    def test_whoever_has_closed_his_half_gets_it(self):
        peer = self.connect()
        peer.sendall(check(self.keys[STALLED], 100) + check(self.keys[OWN], 101))
        peer.shutdown(socket.SHUT_WR)
        self.wait_for_forwarded(1)
        self.expect_nothing_to_read(peer)
        self.cluster.stall(STALLED, 0)
        self.assertEqual(limits(http_nodes.read_all(peer)), [100, 101])

    def outlast_a_refusal(self):
        """Until the node has closed the connection of someone whom it refuses now, and who stays."""
        peer = self.connect()
        peer.sendall(REFUSED)
        http_nodes.read_last(peer)

        def is_closed():
            try:
                peer.sendall(b"x")
                return False
            except OSError:
                return True
        nodes.eventually(is_closed, "a refused client is closed")

    def test_a_refusal_behind_it_waits_for_it(self):
        peer = self.connect()
        peer.sendall(check(self.keys[STALLED], 100) + REFUSED + b"x" * 100_000)
        self.wait_for_forwarded(1)
        self.expect_nothing_to_read(peer)
        self.outlast_a_refusal()
        self.cluster.stall(STALLED, 0)
        answers = http_nodes.read_all(peer)
        self.assertEqual(limits(answers), [100])
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answers), [b"200", b"505"])

    def test_a_stop_waits_for_it(self):
        peer = self.connect()
        peer.sendall(check(self.keys[STALLED], 100) + check(self.keys[OWN], 101))
        self.wait_for_forwarded(1)
        node = self.cluster.nodes[OWN]
        node.send(15)
        node.wait_for_log("stopping signal")
        self.cluster.stall(STALLED, 0)
        answers = http_nodes.read_all(peer)
        self.assertEqual(limits(answers), [100, 101])
        self.assertNotIn(b"X-Gub-Degraded", answers)
        peer.close()
        self.assertEqual(node.wait(), 0)

    def test_a_stop_that_waits_too_long_for_it_answers_by_the_fallback(self):
        peer = self.connect()
        peer.sendall(check(self.keys[STALLED], 100, "X-Gub-Onfail: error\r\n"))
        self.wait_for_forwarded(1)
        node = self.cluster.nodes[OWN]
        node.send(15)
        answers = http_nodes.read_all(peer)
        self.assertTrue(answers.startswith(b"HTTP/1.1 503 "), answers)
        self.assertIn(b"OWNERDOWN", answers)
        peer.close()
        self.assertEqual(node.wait(), 0)

    def test_batches_that_wait_stop_their_client_and_count_as_his_memory(self):
        batches, items = 40, 1000
        body = json.dumps({"requests": [
            {"name": "n", "unique_key": self.keys[STALLED], "hits": 1, "limit": batches * items,
             "duration": 3_600_000}] * items}).encode()
        request = (b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" %
                   len(body)) + body
        peer = self.connect()

        def send():
            peer.sendall(request * batches)
            peer.shutdown(socket.SHUT_WR)
        sender = threading.Thread(target=send)
        sender.start()
        self.wait_for_forwarded(items)
        # The loop has turned in between: what it would have read by itself, it has read.
        forwarded = [self.metric("gub_forwarded_requests_total") for _ in range(20)]
        self.assertLess(max(forwarded), 3 * items)
        self.assertGreater(self.metric("gub_client_buffer_bytes"), 200 * items)
        self.cluster.stall(STALLED, 0)
        answers = http_nodes.read_all(peer)
        sender.join()
        remaining = [int(number) for number in re.findall(rb'"remaining":"(\d+)"', answers)]
        self.assertEqual(remaining, list(range(batches * items - 1, -1, -1)))
        nodes.eventually(lambda: self.metric("gub_client_buffer_bytes") < 100 * items,
                         "their memory is given back")


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
