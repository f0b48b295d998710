"""What tests of the HTTP front share: requests by Python's http.client, raw bytes, metrics."""

import http.client
import json
import re
import socket
import unittest
import urllib.parse

import nodes
import redis


class Answer:
    """Status, headers in lower case, and body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Client:
    """A connection that stays."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection(nodes.HOST, port, timeout=nodes.DEADLINE_S)

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, fields, answer.read().decode())

    def get(self, path, **headers):
        return self.ask("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def check(self, **parameters):
        return self.get("/v1/check?" + urllib.parse.urlencode(parameters))

    def decide(self, requests):
        return self.ask("POST", "/v1/GetRateLimits", json.dumps({"requests": requests}))

    def close(self):
        self.connection.close()


def raw(port, data, then_close=False):
    """All that comes back for these bytes until the server closes, or has been silent for a
    moment once something came."""
    with socket.create_connection((nodes.HOST, port), timeout=nodes.DEADLINE_S) as peer:
        peer.sendall(data)
        if then_close:
            peer.shutdown(socket.SHUT_WR)
        return read_all(peer)


def read_all(peer):
    """What comes until the end of the connection."""
    got = b""
    try:
        while piece := peer.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


def read_last(peer):
    """The answer after which the server closes, without waiting for that."""
    got = b""
    while (length := re.search(rb"Content-Length: (\d+)\r\n(?:.*\r\n)*?\r\n", got)) is None or \
            len(got) < length.end() + int(length.group(1)):
        piece = peer.recv(65536)
        if not piece:
            return got
        got += piece
    return got


def metrics(client, **headers):
    """The samples of /metrics by their whole name."""
    answer = client.get("/metrics", **headers)
    if answer.status != 200:
        raise AssertionError(answer.body)
    samples = {}
    for line in answer.body.splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            samples[name] = float(value)
    return samples


def decisions(samples):
    """How many by result, both algorithms together, and errors."""
    sums = {"error": samples["gub_request_errors_total"]}
    for name, value in samples.items():
        found = re.match(r'gub_decisions_total\{.*result="(\w+)"\}', name)
        if found:
            sums[found.group(1)] = sums.get(found.group(1), 0) + value
    return sums


class OneNode(nodes.Program):
    """A node with both fronts."""

    def __init__(self, server, *options):
        self.port = nodes.free_ports(2)
        self.http_port = self.port + 1
        super().__init__([server, "--port", self.port, "--http-port", self.http_port, "--bind",
                          nodes.HOST, "--threads", 2, "--max-keys", 10_000,
                          "--enable-debug-commands", "yes", *options])
        self.wait_for_log(" ready ")


class HttpCase(unittest.TestCase):
    """Tests of one node. Programs set SERVER."""

    SERVER = ""
    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.node = OneNode(cls.SERVER, *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        if cls.node.stop() != 0:
            raise RuntimeError("the node did not end with 0")

    def setUp(self):
        self.client = Client(self.node.http_port)
        self.addCleanup(self.client.close)
        self.redis = redis.Redis(port=self.node.port, decode_responses=True)
        self.addCleanup(self.redis.close)
