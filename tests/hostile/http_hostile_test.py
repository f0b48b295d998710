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
CONNECTIONS = 'gub_connections{kind="%s"}'


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = nodes.free_ports(2)
        cls.port = port + 1
        cls.node = nodes.Program([SERVER, "--port", port, "--http-port", cls.port, "--bind",
                                  nodes.HOST, "--threads", 2, "--max-keys", 10_000])
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

    def read_for(self, peer, seconds):
        """What comes within that time."""
        peer.settimeout(seconds)
        try:
            return peer.recv(65536)
        except TimeoutError:
            return b""

    def test_a_slow_request_is_told_408_and_an_empty_line_is_none(self):
        slow_header, slow_body, empty_line = self.connect(), self.connect(), self.connect()
        empty_line.sendall(b"\r\n\r\n")
        started = time.monotonic()
        slow_header.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        slow_body.sendall(b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\n"
                          b"Content-Length: 1000\r\n\r\n")
        answers, ended = {slow_header: b"", slow_body: b""}, {}
        while len(ended) < 2 and time.monotonic() - started < 90:
            for peer in answers.keys() - ended.keys():
                answers[peer] += self.read_for(peer, 0.5)
                if answers[peer]:
                    ended[peer] = time.monotonic() - started
            if slow_body not in ended:
                slow_body.sendall(b"x")
        for peer, seconds in ((slow_header, 10), (slow_body, 30)):
            self.assertTrue(answers[peer].startswith(b"HTTP/1.1 408 Request Timeout\r\n"), answers)
            self.assertGreater(ended[peer], seconds - 1)
        empty_line.sendall(CHECK % (b"empty-line", b"Connection: close\r\n"))
        self.assertIn(REMAINING % 999, http_nodes.read_all(empty_line))

    def test_there_is_no_room_for_a_long_body_where_none_is_needed(self):
        head = b"POST /healthz HTTP/1.1\r\nHost: x\r\n"
        chunk = b"800\r\n" + b"x" * 0x800 + b"\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
        for data, status in (
                (head + b"Content-Length: 4097\r\nExpect: 100-continue\r\n\r\n", 413),
                (head + b"Content-Length: 4097\r\n\r\n" + b"x" * 4097, 413),
                (chunked + chunk * 3, 413),
                (chunked + chunk + b"1;" + b"x" * 30_000, 413),
                (head + b"Content-Length: 4096\r\n\r\n" + b"x" * 4096, 405),
                (chunked + chunk * 2 + b"0\r\n\r\n", 405)):
            with self.subTest(data=data[:80]):
                peer = self.connect()
                peer.sendall(data)
                answer = http_nodes.read_last(peer)
                self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer)
                self.assertEqual(b"Connection: close" in answer, status == 413)

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


class FullNodeTest(unittest.TestCase):
    """All the clients that the node may have are there, and it is asked for more."""

    CLIENTS, STRANGERS = 3, 16

    def setUp(self):
        self.port = nodes.free_ports(2)
        self.node = nodes.Program([SERVER, "--port", self.port, "--http-port", self.port + 1,
                                   "--bind", nodes.HOST, "--threads", 1, "--max-keys", 10_000,
                                   "--maxclients", self.CLIENTS])
        self.addCleanup(self.node.stop)
        self.node.wait_for_log(" ready ")
        self.clients = [http_nodes.Client(self.port + 1) for _ in range(self.CLIENTS)]
        for client in self.clients:
            self.addCleanup(client.close)
            self.assertEqual(client.get("/healthz").status, 200)

    def ask(self, data):
        return http_nodes.raw(self.port + 1, data)

    def get(self, path):
        """The answer, which is the connection's last."""
        answer = self.ask(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 2)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        return answer

    def strangers(self, count, port):
        peers = []
        for _ in range(count):
            peers.append(socket.create_connection((nodes.HOST, port), timeout=nodes.DEADLINE_S))
            self.addCleanup(peers[-1].close)
        return peers

    def metrics(self):
        return http_nodes.metrics(self.clients[0])

    def test_probes_are_answered_and_others_are_told(self):
        for _ in range(2 * self.STRANGERS):
            self.assertIn(b"200 OK", self.get("/healthz"))
        self.assertIn(b'"ready"', self.get("/readyz"))
        for path in ("/metrics", "/v1/LiveCheck", "/nothing"):
            answer = self.get(path)
            self.assertIn(b"503 Service Unavailable", answer)
            self.assertIn(b"max number of clients reached", answer)
        answer = self.ask(b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\n"
                          b"Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
        samples = self.metrics()
        self.assertEqual(samples["gub_connections_rejected_total"], 4)
        self.assertEqual(samples[CONNECTIONS % "client"], self.CLIENTS)

    def test_the_room_for_probes_is_not_to_be_had_for_long(self):
        silent = self.strangers(self.STRANGERS, self.port + 1)
        told = self.strangers(1, self.port + 1)[0]
        self.assertIn(b"max number of clients reached", http_nodes.read_last(told))
        for peer in silent:
            self.assertEqual(http_nodes.read_all(peer), b"")
        self.assertIn(b"200 OK", self.get("/healthz"))

    def test_whoever_is_refused_may_say_what_he_has_to_say(self):
        self.strangers(self.STRANGERS, self.port + 1)
        for port, text in ((self.port + 1, b"HTTP/1.1 503 "), (self.port, b"-ERR max number of ")):
            peer = self.strangers(1, port)[0]
            peer.recv(1, socket.MSG_PEEK)  # it is refused
            for _ in range(100):
                peer.sendall(b"PING\r\n" * 10_000)
            peer.shutdown(socket.SHUT_WR)
            self.assertTrue(http_nodes.read_all(peer).startswith(text))

    def test_those_who_stay_though_they_were_refused_are_few_and_count_as_nobody(self):
        refused = self.strangers(200, self.port)
        for peer in refused:
            self.assertTrue(http_nodes.read_all(peer).startswith(b"-ERR max number of "))
        samples = self.metrics()
        self.assertEqual(samples[CONNECTIONS % "client"], self.CLIENTS)
        self.assertLess(samples[CONNECTIONS % "refused"], 100)
        self.clients[-1].close()

        def has_room():
            client = http_nodes.Client(self.port + 1)
            self.addCleanup(client.close)
            return client.get("/v1/LiveCheck").status == 200
        nodes.eventually(has_room, "there is room for a client again")


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
