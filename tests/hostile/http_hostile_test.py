#!/usr/bin/python3
"""Clients that mean ill, or are slow, at the HTTP front: http_hostile_test.py PATH_OF_GUB_SERVER"""

import pathlib
import socket
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import http_nodes  # pylint: disable=wrong-import-position
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
CHECK = b"GET /v1/check?name=n&key=%s&limit=1000&duration=1h HTTP/1.1\r\nHost: x\r\n%s\r\n"
REMAINING = b"X-RateLimit-Remaining: %d\r\n"


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = nodes.free_ports(2)
        cls.port = port + 1
        cls.node = nodes.Program([SERVER, "--port", port, "--http-port", cls.port, "--bind",
                                  nodes.HOST, "--threads", 2, "--max-keys", 10_000, "--maxclients",
                                  200])
        cls.node.wait_for_log(" ready ")

    @classmethod
    def tearDownClass(cls):
        if cls.node.stop() != 0:
            raise RuntimeError("the node did not end with 0")

    def tearDown(self):
        client = http_nodes.Client(self.port)
        self.assertEqual(client.get("/healthz").status, 200)
        client.close()

    def connect(self):
        peer = socket.create_connection((nodes.HOST, self.port), timeout=nodes.DEADLINE_S)
        self.addCleanup(peer.close)
        return peer

    def status_of(self, data):
        peer = self.connect()
        peer.sendall(data)
        answer = http_nodes.read_last(peer)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        self.assertIn(b"Connection: close\r\n", answer)
        return int(answer.split()[1])

    def test_a_hundred_requests_in_a_row_are_answered_in_their_order(self):
        peer = self.connect()
        peer.sendall(b"".join(CHECK % (b"pipeline", b"") for _ in range(99)) +
                     CHECK % (b"pipeline", b"Connection: close\r\n"))
        answers = http_nodes.read_all(peer)
        places = [answers.index(REMAINING % left) for left in range(999, 899, -1)]
        self.assertEqual(places, sorted(places))
        self.assertEqual(answers.count(b"HTTP/1.1 200 OK"), 100)

    def test_what_comes_byte_by_byte_is_answered(self):
        peer = self.connect()
        for byte in CHECK % (b"bytes", b"Connection: close\r\n"):
            peer.sendall(bytes([byte]))
        self.assertIn(REMAINING % 999, http_nodes.read_all(peer))

    def test_a_client_that_has_closed_its_half_is_answered(self):
        answer = http_nodes.raw(self.port, CHECK % (b"half", b""), then_close=True)
        self.assertIn(REMAINING % 999, answer)

    def test_a_half_request_and_a_closed_half_end_the_connection(self):
        self.assertEqual(http_nodes.raw(self.port, b"GET / HT", then_close=True), b"")

    def test_headers_without_end_are_refused(self):
        self.assertEqual(self.status_of(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 100_000), 431)
        self.assertEqual(self.status_of(b"GET /" + b"a" * 100_000), 414)
        many = b"".join(b"X-%d: y\r\n" % i for i in range(200))
        self.assertEqual(self.status_of(b"GET / HTTP/1.1\r\nHost: x\r\n" + many + b"\r\n"), 431)

    def test_bodies_that_are_too_long_are_refused_and_the_refusal_arrives(self):
        head = b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\n"
        self.assertEqual(self.status_of(
            head + b"Content-Length: 99999999\r\n\r\n" + b"x" * 3_000_000), 413)
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        self.assertEqual(self.status_of(
            head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 40), 413)
        self.assertEqual(self.status_of(
            head + b"Content-Length: 99999999999999999999999\r\n\r\n"), 400)

    def test_smuggled_requests_are_refused_and_nothing_behind_them_is_read(self):
        behind = CHECK % (b"smuggled", b"")
        head = b"POST /v1/check?name=n&key=front&limit=9&duration=1h HTTP/1.1\r\nHost: x\r\n"
        for fields, status in (
                (b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400),
                (b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400),
                (b"Content-Length: 4\r\nContent-Length: 0\r\n", 400),
                (b"Content-Length: 0, 4\r\n", 400),
                (b"Content-Length: +4\r\n", 400),
                (b"Transfer-Encoding: xchunked\r\n", 501),
                (b"Transfer-Encoding: chunked, identity\r\n", 501),
                (b"Transfer-Encoding : chunked\r\n", 400),
                (b"Transfer-Encoding:\r\n chunked\r\n", 400),
                (b"Host: y\r\n", 400)):
            with self.subTest(fields=fields):
                self.assertEqual(self.status_of(head + fields + b"\r\n0\r\n\r\n" + behind), status)
        client = http_nodes.Client(self.port)
        self.addCleanup(client.close)
        for key, limit in (("smuggled", 1000), ("front", 9)):
            answer = client.check(name="n", key=key, limit=limit, duration="1h", hits=0)
            self.assertEqual(answer.headers["x-ratelimit-remaining"], str(limit))

    def test_chunks_are_put_together(self):
        body = b'{"requests":[{"name":"n","unique_key":"c","hits":1,"limit":5,"duration":9}]}'
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
        answer = http_nodes.raw(
            self.port, b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        self.assertIn(b'"remaining":"4"', answer)

    def test_whoever_asks_before_a_body_is_told_to_go_on(self):
        peer = self.connect()
        peer.sendall(b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                     b"Connection: close\r\nExpect: 100-continue\r\n\r\n")
        self.assertEqual(peer.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
        peer.sendall(b"{}")
        self.assertIn(b'{"responses":[]}', http_nodes.read_all(peer))

    def test_head_and_1_0(self):
        answer = http_nodes.raw(self.port, b"HEAD /healthz HTTP/1.0\r\n\r\n")
        self.assertTrue(answer.endswith(b"\r\n\r\n") and b"Content-Length: 19" in answer, answer)
        answer = http_nodes.raw(
            self.port, b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertEqual(answer.count(b"200 OK"), 2)

    def test_what_is_no_http_is_refused(self):
        for data in (b"*1\r\n$4\r\nPING\r\n\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
                     b"\0" * 100 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            self.assertIn(self.status_of(data), (400, 505))

    def test_a_slow_request_is_told_408(self):
        slow_header, slow_body = self.connect(), self.connect()
        started = time.monotonic()
        slow_header.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        answer = http_nodes.read_all(slow_header)
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n"), answer)
        self.assertGreater(time.monotonic() - started, 9)
        slow_body.close()

    def test_more_clients_than_may_be_are_told_503(self):
        peers = []
        try:
            for _ in range(230):
                peers.append(socket.create_connection((nodes.HOST, self.port), timeout=20))
            answer = http_nodes.read_all(peers[-1])
            self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
            self.assertIn(b"max number of clients reached", answer)
        finally:
            for peer in peers:
                peer.close()
        nodes.eventually(lambda: b"200 OK" in http_nodes.raw(
            self.port, b"GET /healthz HTTP/1.0\r\n\r\n"), "room again")

    def test_whoever_does_not_read_stops_only_himself(self):
        peer = self.connect()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.settimeout(2)
        try:
            for _ in range(200):
                peer.sendall((b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") * 1000)
        except (TimeoutError, BrokenPipeError, ConnectionResetError):
            pass
        client = http_nodes.Client(self.port)
        self.addCleanup(client.close)
        held = http_nodes.metrics(client)["gub_client_buffer_bytes"]
        self.assertLess(held, 40_000_000)


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
