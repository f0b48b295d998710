#!/usr/bin/python3
"""The HTTP front of one node: http_test.py PATH_OF_GUB_SERVER"""

import base64
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import http_nodes  # pylint: disable=wrong-import-position
import nodes  # pylint: disable=wrong-import-position
import redis  # pylint: disable=wrong-import-position
from http_nodes import HttpCase, OneNode  # pylint: disable=wrong-import-position

SERVER = HttpCase.SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
T0_MS = 1_700_000_000_000


class CheckTest(HttpCase):
    def setUp(self):
        super().setUp()
        self.redis.execute_command("GUB.DEBUG", "CLOCK", "SET", T0_MS)
        self.redis.flushall()

    def test_admits_then_denies_with_the_headers(self):
        wanted = {"name": "api", "key": "k", "limit": 2, "duration": "10s"}
        answer = self.client.check(**wanted)
        self.assertEqual((answer.status, answer.body), (200, ""))
        self.assertEqual(answer.headers["ratelimit"], '"api";r=1;t=10')
        self.assertEqual(answer.headers["ratelimit-policy"], '"api";q=2;w=10')
        self.assertEqual(answer.headers["x-ratelimit-limit"], "2")
        self.assertEqual(answer.headers["x-ratelimit-remaining"], "1")
        self.assertEqual(answer.headers["x-ratelimit-reset"], str(T0_MS // 1000 + 10))
        self.assertNotIn("retry-after", answer.headers)
        self.client.check(**wanted)
        self.redis.execute_command("GUB.DEBUG", "CLOCK", "ADVANCE", 2500)
        answer = self.client.check(**wanted)
        self.assertEqual((answer.status, answer.body), (429, ""))
        self.assertEqual(answer.headers["retry-after"], "8")
        self.assertEqual(answer.headers["ratelimit"], '"api";r=0;t=8')

    def test_answers_json_where_it_is_wanted(self):
        answer = self.client.get("/v1/check?name=api&key=k&limit=1&duration=minute",
                                 Accept="text/html, application/json")
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertEqual(answer.json(), {
            "status": "UNDER_LIMIT", "limit": 1, "remaining": 0, "reset_time": T0_MS + 40_000,
            "retry_after_ms": 0, "owner": f"127.0.0.1:{self.node.port}", "degraded": False})

    def test_takes_all_that_gub_hit_takes(self):
        wanted = {"name": "n", "key": "k\x00\xff", "limit": 10, "duration": "1h", "hits": 3,
                  "algorithm": "leaky", "behavior": "DRAIN_OVER_LIMIT", "burst": 5,
                  "onfail": "closed"}
        self.assertEqual(self.client.check(**wanted).headers["x-ratelimit-remaining"], "2")
        self.assertEqual(self.client.check(**wanted).status, 429)
        self.assertEqual(
            self.redis.execute_command("GUB.HIT", "n", "k\x00\xff", 0, 10, "1h", "leaky", 0,
                                       "BURST", 5)[1], 0)

    def test_says_no_retry_after_for_what_never_passes(self):
        answer = self.client.check(name="n", key="k", limit=0, duration=1000)
        self.assertEqual(answer.status, 429)
        self.assertNotIn("retry-after", answer.headers)

    def test_denies_by_another_status(self):
        answer = self.client.check(name="n", key="k", limit=1, duration=1000, hits=2,
                                   deny_status=403)
        self.assertEqual(answer.status, 403)
        self.assertIn("ratelimit", answer.headers)

    def test_takes_parameters_from_headers(self):
        fields = {"X-Gub-Name": "n", "X-Gub-Key": "k", "X-Gub-Limit": "3",
                  "X-Gub-Duration": "1m", "X-Gub-Hits": "2"}
        answer = self.client.ask("POST", "/v1/check", headers=fields)
        self.assertEqual(answer.headers["x-ratelimit-remaining"], "1")

    def test_a_clients_headers_change_nothing_that_the_url_says(self):
        url = "/v1/check?name=n&key=k&limit=3&duration=1m"
        tricks = {"X-Gub-Key": "other", "X-Gub-Hits": "0", "X-Gub-Behavior": "8",
                  "X-Gub-Deny-Status": "500", "X-Gub-Limit": "1000"}
        for remaining in ("2", "1", "0", "0"):
            answer = self.client.ask("GET", url, headers=tricks)
            self.assertEqual(answer.headers["x-ratelimit-remaining"], remaining)
        self.assertEqual(answer.status, 429)

    def test_takes_the_key_from_a_header_that_the_url_names(self):
        url = "/v1/check?name=n&key_header=X-Real-IP&limit=3&duration=1m"
        for ip, remaining in (("10.0.0.1", "2"), ("10.0.0.2", "2"), ("10.0.0.1", "1")):
            answer = self.client.ask("GET", url, headers={"X-Real-IP": ip})
            self.assertEqual(answer.headers["x-ratelimit-remaining"], remaining)
        self.assertIn("there is no header 'X-Real-IP'", self.client.get(url).body)

    def test_names_what_is_wrong_and_changes_nothing(self):
        good = {"name": "n", "key": "k", "limit": 10, "duration": "1m"}
        wrong = [
            ({"name": ""}, "name must not be empty"), ({"key": ""}, "key must not be empty"),
            ({"limit": "x"}, "limit is not an integer"), ({"limit": -1}, "limit must not be neg"),
            ({"duration": 0}, "duration must be from 1"), ({"hits": "1.5"}, "hits is not an int"),
            ({"algorithm": "FULL"}, "unknown algorithm 'FULL'"),
            ({"behavior": "BURST"}, "unknown behavior 'BURST'"), ({"burst": -1}, "burst must not"),
            ({"onfail": "x"}, "unknown onfail 'x'"), ({"deny_status": 200}, "deny_status must be"),
            ({"color": "red"}, "unknown parameter 'color'"),
            ({"key_header": "X"}, "key and key_header are given both"),
        ]
        for change, reason in wrong:
            answer = self.client.check(**{**good, **change})
            self.assertEqual(answer.status, 400, change)
            self.assertIn(reason, answer.json()["message"])
            self.assertEqual(answer.json()["code"], 3)
        for missing in good:
            answer = self.client.check(**{k: v for k, v in good.items() if k != missing})
            self.assertIn(f"{missing} is missing", answer.body)
        self.assertIn("limit is given twice", self.client.get(
            "/v1/check?name=n&key=k&limit=1&limit=2&duration=5").body)
        self.assertIn("'%'", self.client.get("/v1/check?name=%zz").body)
        self.assertEqual(self.redis.dbsize(), 0)

    def test_curl_head_and_1_0_work(self):
        url = f"http://127.0.0.1:{self.node.http_port}/v1/check?name=n&key=k&limit=9&duration=1m"
        for flags, expected in (("-sI", b"x-ratelimit-remaining: 8"),
                                ("-s0i", b"x-ratelimit-remaining: 7"),
                                ("-si", b"x-ratelimit-remaining: 6")):
            out = subprocess.run(["curl", "--noproxy", "*", flags, url], check=True, timeout=30,
                                 stdout=subprocess.PIPE).stdout
            self.assertIn(expected, out.lower())


class OperationTest(HttpCase):
    def test_alive_and_ready(self):
        self.assertEqual(self.client.get("/healthz").json(), {"status": "alive"})
        self.assertEqual(self.client.get("/readyz").json(),
                         {"status": "ready", "reasons": [], "notes": []})

    def test_paths_and_methods(self):
        answer = self.client.get("/nope")
        self.assertEqual((answer.status, answer.json()["code"]), (404, 5))
        answer = self.client.get("/v1/GetRateLimits")
        self.assertEqual((answer.status, answer.headers["allow"]), (405, "POST"))
        answer = self.client.ask("DELETE", "/metrics")
        self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"))
        self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_promtool_has_nothing_to_say(self):
        self.client.check(name="n", key="k", limit=1, duration=1000)
        self.redis.execute_command("GUB.HIT", "n", "k", 1, 1, 1000)
        done = subprocess.run([shutil.which("promtool"), "check", "metrics"],
                              input=self.client.get("/metrics").body, text=True, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_series_do_not_grow_with_keys(self):
        def deny(first, count):
            pipeline = self.redis.pipeline(transaction=False)
            for i in range(first, first + count):
                pipeline.execute_command("GUB.HIT", f"name:{i}", f"key:{i}", 1, 0, 1000)
            pipeline.execute()
        deny(0, 10)
        before = http_nodes.metrics(self.client)
        deny(10, 5000)
        after = http_nodes.metrics(self.client)
        self.assertEqual(set(before), set(after))
        denied = 'gub_decisions_total{algorithm="token",result="denied"}'
        self.assertEqual(after[denied] - before[denied], 5000)

    def test_ready_turns_false_when_the_node_stops(self):
        node = OneNode(SERVER)
        # A client that has not read keeps the node from ending at once.
        waiting = socket.create_connection((nodes.HOST, node.http_port), timeout=nodes.DEADLINE_S)
        waiting.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n" + b"GET /rea")
        answer = waiting.recv(65536)
        self.assertIn(b'"ready"', answer)
        self.assertNotIn(b"Connection: ", answer)
        node.send(15)
        node.wait_for_log("stopping signal")
        waiting.sendall(b"dyz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = http_nodes.read_all(waiting)
        self.assertIn(b"503 Service Unavailable", answer)
        self.assertIn(b"this node is stopping", answer)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        waiting.close()
        self.assertEqual(node.wait(), 0)

    def test_a_taken_port_is_named_as_http_port(self):
        done = subprocess.run([SERVER, "--port", "0", "--http-port", str(self.node.http_port),
                               "--bind", nodes.HOST], stderr=subprocess.PIPE, text=True,
                              timeout=30, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"gub-server: http-port: 127.0.0.1:{self.node.http_port} is taken",
                      done.stderr)

    def test_a_port_that_one_may_not_have_is_named_with_its_option(self):
        for option, other in (("http-port", "port"), ("port", "http-port")):
            # Without the right to low ports, also for root.
            command = [SERVER, f"--{option}", "1", f"--{other}", "0", "--bind", nodes.HOST]
            if os.geteuid() == 0:
                command = ["setpriv", "--bounding-set", "-net_bind_service", *command]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=30,
                                  check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"gub-server: {option}: cannot listen on {nodes.HOST}:1: permission "
                          "denied (low ports need root or CAP_NET_BIND_SERVICE)", done.stderr)


class TopTest(HttpCase):
    def test_top_tells_who_is_denied_and_hit_most(self):
        for key, hits in (("calm", 3), ("busy", 9), ("greedy", 6)):
            for _ in range(hits):
                self.client.check(name="top", key=key, limit=9 if key != "greedy" else 1,
                                  duration="1h")
        top = self.client.get("/v1/top?n=3").json()
        of_top = [(e["key"], e["count"]) for e in top["hit"] if e["name"] == "top"]
        self.assertEqual(of_top, [("busy", 9), ("greedy", 6), ("calm", 3)])
        self.assertEqual([(e["key"], e["count"]) for e in top["denied"] if e["name"] == "top"],
                         [("greedy", 5)])
        reply = self.redis.execute_command("GUB.TOP", 1)
        self.assertIn(["top", "greedy", 5, 0], reply[1])
        for n in ("0", "x", "1001"):
            self.assertEqual(self.client.get(f"/v1/top?n={n}").status, 400)
            with self.assertRaisesRegex(redis.ResponseError, "n must be from 1 to 1000"):
                self.redis.execute_command("GUB.TOP", n)


class TimeoutTest(HttpCase):
    OPTIONS = ("--timeout", "1")

    def test_a_silent_client_is_closed(self):
        with socket.create_connection((nodes.HOST, self.node.http_port), timeout=30) as peer:
            peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertEqual(http_nodes.read_all(peer).count(b"HTTP/1.1"), 1)


class TopOffTest(HttpCase):
    OPTIONS = ("--top-keys", "0")

    def test_top_is_off(self):
        self.client.check(name="n", key="k", limit=1, duration=1000)
        self.assertEqual(self.client.get("/v1/top").status, 503)
        with self.assertRaisesRegex(redis.ResponseError, "the option top-keys is 0"):
            self.redis.execute_command("GUB.TOP")


class PasswordTest(HttpCase):
    OPTIONS = ("--requirepass", "secret word")

    def setUp(self):
        self.client = http_nodes.Client(self.node.http_port)
        self.addCleanup(self.client.close)

    def test_is_needed_for_all_but_the_probes(self):
        basic = {user: "Basic " + base64.b64encode(f"{user}:secret word".encode()).decode()
                 for user in ("", "default", "other")}
        path = "/v1/check?name=n&key=k&limit=9&duration=1m"
        answer = self.client.get(path)
        self.assertEqual((answer.status, answer.json()["code"]), (401, 16))
        self.assertIn("Basic", answer.headers["www-authenticate"])
        for wrong in ("Bearer secret", "Bearer ", "Basic !", basic["other"], "secret word",
                      "Basic " + base64.b64encode(b"secret word").decode()):
            self.assertEqual(self.client.get(path, Authorization=wrong).status, 401, wrong)
        for right in ("Bearer secret word", "bearer  secret word", basic[""], basic["default"]):
            self.assertEqual(self.client.get(path, Authorization=right).status, 200, right)
        for path in ("/metrics", "/v1/top", "/v1/HealthCheck", "/nope", "/v1/LiveCheck"):
            self.assertEqual(self.client.get(path).status, 401, path)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.client.get(path).status, 200, path)

    def test_a_body_without_it_is_not_waited_for(self):
        answer = http_nodes.raw(
            self.node.http_port,
            b"POST /v1/GetRateLimits HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
            b"Expect: 100-continue\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)
        self.assertIn(b"Connection: close", answer)


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
