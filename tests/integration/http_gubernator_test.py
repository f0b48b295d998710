#!/usr/bin/python3
"""Gubernator's JSON API of one node: http_gubernator_test.py PATH_OF_GUB_SERVER"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position
from http_nodes import HttpCase  # pylint: disable=wrong-import-position

HttpCase.SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
T0_MS = 1_700_000_000_000
CALENDAR = {"minute": 0, "hour": 1, "day": 2, "week": 3, "month": 4, "year": 5}
STEP = re.compile(r"@(\d+) hit (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)((?: \S+)*) -> (.+)")


class GatewayTest(HttpCase):
    def setUp(self):
        super().setUp()
        self.redis.execute_command("GUB.DEBUG", "CLOCK", "SET", T0_MS)
        self.redis.flushall()

    def step(self, line):
        """A line of the vectors as a request, and what is wanted of it."""
        at, name, key, hits, limit, duration, algorithm, words, want = STEP.match(line).groups()
        behavior = (32 if " drain" in words else 0) | (8 if " reset" in words else 0)
        request = {"name": name, "unique_key": key, "hits": hits, "limit": int(limit),
                   "duration": duration, "algorithm": f"{algorithm.upper()}_BUCKET",
                   "behavior": behavior}
        if duration in CALENDAR:
            request["duration"], request["behavior"] = CALENDAR[duration], behavior | 4
        if "burst=" in words:
            request["burst"] = re.search(r"burst=(\S+)", words).group(1)
        return int(at), request, want

    def test_every_line_of_gubernator_vec_holds(self):
        steps = 0
        for line in (ROOT / "tests/vectors/gubernator.vec").read_text().splitlines():
            if line.startswith("case"):
                self.redis.flushall()
            if not line.strip().startswith("@"):
                continue
            at, request, want = self.step(line.strip())
            self.redis.execute_command("GUB.DEBUG", "CLOCK", "SET", T0_MS + at)
            got = self.client.decide([request]).json()["responses"][0]
            steps += 1
            if want == "ERR":
                self.assertNotEqual(got["error"], "", line)
                continue
            status, remaining, reset, _ = want.split()
            self.assertEqual(got, {
                "status": f"{status}_LIMIT", "limit": str(request["limit"]),
                "remaining": remaining, "reset_time": str(T0_MS + int(reset)), "error": "",
                "metadata": {}}, line)
        self.assertGreater(steps, 80)

    def test_a_partly_bad_batch_is_decided_where_it_is_good(self):
        good = {"name": "n", "unique_key": "k", "hits": "1", "limit": "10", "duration": "60000"}
        answers = self.client.decide([
            good, {**good, "unique_key": ""}, {**good, "name": ""}, {**good, "algorithm": 7},
            {**good, "algorithm": "x"}, {**good, "duration": 0}, {**good, "behavior": 64},
            {**good, "limit": -1}, {**good, "burst": -1}, {**good, "unique_key": "x" * 5000}, {},
            good]).json()["responses"]
        self.assertEqual([answer["error"] for answer in answers], [
            "", "field 'unique_key' cannot be empty", "field 'namespace' cannot be empty",
            "invalid algorithm '7'", "invalid algorithm 'x'",
            "duration must be from 1 to 3155760000000 ms", "unknown behavior '64'",
            "limit must not be negative", "burst must not be negative",
            "name and key are longer than 4096 bytes", "field 'unique_key' cannot be empty", ""])
        self.assertEqual([answers[0]["remaining"], answers[-1]["remaining"]], ["9", "8"])

    def test_1001_are_one_error_and_nothing_is_consumed(self):
        one = {"name": "n", "unique_key": "k", "hits": 1, "limit": 5000, "duration": 60000}
        answer = self.client.decide([one] * 1001)
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json(), {
            "code": 11, "details": [],
            "message": "Requests.RateLimits list too large; max size is '1000'"})
        self.assertEqual(self.redis.dbsize(), 0)
        answers = self.client.decide([one] * 1000).json()["responses"]
        self.assertEqual([answer["remaining"] for answer in answers],
                         [str(4999 - i) for i in range(1000)])

    def test_bad_json_is_named_with_its_place_and_nothing_is_consumed(self):
        for body, reason in (
                ('{"requests":[{"name":"n","unique_key":"k","limit":tru', "at byte 54 in requests[0].limit"),
                ('{"requests":[{"name":"n","unique_key":"k","limit":"9"},{"hits":{}}]}',
                 "expected an integer of 64 bits at byte 64 in requests[1].hits"),
                ("", "at byte 1"), ("[]", "expected an object")):
            answer = self.client.ask("POST", "/v1/GetRateLimits", body)
            self.assertEqual(answer.status, 400)
            self.assertIn(reason, answer.json()["message"])
        self.assertEqual(self.redis.dbsize(), 0)

    def test_reads_the_older_list_and_an_empty_one(self):
        body = '{"rate_limits":[{"name":"n","unique_key":"k","limit":"3","hits":1,"duration":9}]}'
        answer = self.client.ask("POST", "/v1/GetRateLimits", body).json()["responses"]
        self.assertEqual(answer[0]["remaining"], "2")
        self.assertEqual(self.client.ask("POST", "/v1/GetRateLimits", "{}").json(),
                         {"responses": []})

    def test_health_and_live(self):
        health = self.client.get("/v1/HealthCheck").json()
        self.assertEqual(health, {
            "status": "healthy", "message": "", "peer_count": 1,
            "advertise_address": f"127.0.0.1:{self.node.port}",
            "local_peers": [{"grpc_address": f"127.0.0.1:{self.node.port}", "data_center": ""}],
            "region_peers": []})
        self.assertEqual(self.client.get("/v1/LiveCheck").json(), {})


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
