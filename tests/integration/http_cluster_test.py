#!/usr/bin/python3
"""The HTTP front of three nodes, and a Prometheus that scrapes them:
http_cluster_test.py PATH_OF_GUB_SERVER [SECONDS_OF_TRAFFIC]
"""

import json
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import http_cluster  # pylint: disable=wrong-import-position
import http_nodes  # pylint: disable=wrong-import-position
import nodes  # pylint: disable=wrong-import-position
import redis  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv[1]).resolve())
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5


class HttpClusterTest(unittest.TestCase):
    def test_a_batch_of_1000_goes_to_all_three_and_keeps_its_order(self):
        cluster = http_cluster.Cluster(SERVER, self)
        requests = [{"name": "n", "unique_key": f"key:{i % 500}", "hits": 1, "limit": 1000 + i % 500,
                     "duration": 3_600_000} for i in range(1000)]
        answers = cluster.clients[0].decide(requests).json()["responses"]
        self.assertEqual(len(answers), 1000)
        owners = set()
        for i, answer in enumerate(answers):
            limit = 1000 + i % 500
            self.assertEqual((answer["error"], answer["limit"]), ("", str(limit)))
            # Each key stands twice, and its second hit comes behind its first.
            self.assertEqual(int(answer["remaining"]), limit - (1 if i < 500 else 2), i)
            owners.add(answer["metadata"].get("owner", "self"))
        self.assertEqual(owners, {"self", *(node.address for node in cluster.nodes[1:])})

    def test_checks_through_any_node_are_one_limit(self):
        cluster = http_cluster.Cluster(SERVER, self)
        statuses = [cluster.clients[i % 3].check(name="n", key="one", limit=7, duration="1h").status
                    for i in range(21)]
        self.assertEqual(statuses, [200] * 7 + [429] * 14)
        health = cluster.clients[1].get("/v1/HealthCheck").json()
        self.assertEqual((health["status"], health["peer_count"]), ("healthy", 3))

    def test_a_lost_owner_is_answered_by_onfail_and_does_not_make_a_node_unready(self):
        cluster = http_cluster.Cluster(SERVER, self, peer_timeout_ms=300)
        lost = 2
        key = next(k for k in map(str, range(1000)) if cluster.owner_of(k) == lost)
        cluster.nodes[lost].stop(signal.SIGKILL)
        before = cluster.sums(alive=(0, 1))
        wanted = {"name": "n", "key": key, "limit": 1, "duration": "1h"}
        client = cluster.clients[0]
        answers = {policy: client.check(onfail=policy, **wanted)
                   for policy in ("open", "closed", "error", "local")}
        self.assertEqual({policy: answer.status for policy, answer in answers.items()},
                         {"open": 200, "closed": 429, "error": 503, "local": 200})
        self.assertIn("OWNERDOWN", answers["error"].json()["message"])
        for policy in ("open", "closed", "local"):
            self.assertEqual(answers[policy].headers["x-gub-degraded"], "1")
        batch = client.decide([{"name": "n", "unique_key": key, "hits": 1, "limit": 1,
                                "duration": 5}]).json()["responses"]
        self.assertIn("OWNERDOWN", batch[0]["error"])
        after = cluster.sums(alive=(0, 1))
        grown = {result: after[result] - before[result] for result in http_cluster.RESULTS}
        self.assertEqual(grown, {"admitted": 2, "denied": 1, "refunded": 0, "peek": 0, "reset": 0,
                                 "error": 2})
        ready = client.get("/readyz")
        self.assertEqual((ready.status, ready.json()["status"]), (200, "ready"))
        self.assertEqual(client.get("/v1/HealthCheck").status, 200)
        nodes.eventually(lambda: "is " in " ".join(client.get("/readyz").json()["notes"]),
                         "the trouble is noted")

    def test_an_error_that_comes_late_counts_like_others(self):
        cluster = http_cluster.Cluster(SERVER, self, peer_timeout_ms=200)
        key = cluster.key_of(1)
        cluster.stall(1, 600_000)
        client = cluster.clients[0]
        late = client.check(name="n", key=key, limit=1, duration="1h", onfail="error")
        self.assertEqual((late.status, late.json()["message"][:9]), (503, "OWNERDOWN"))
        denied = client.check(name="n", key=key, limit=1, duration="1h", onfail="closed",
                              deny_status=503)
        self.assertEqual(denied.headers["x-gub-degraded"], "1")
        item = client.decide([{"name": "n", "unique_key": key, "hits": 1, "limit": 1,
                               "duration": 5}]).json()["responses"][0]
        self.assertIn("OWNERDOWN", item["error"])
        samples = http_nodes.metrics(client)
        self.assertEqual(samples['gub_http_failures_total{path="/v1/check"}'], 1)
        self.assertEqual(samples['gub_http_failures_total{path="/v1/GetRateLimits"}'], 0)
        self.assertEqual(samples['gub_error_replies_total{code="OWNERDOWN"}'], 2)
        self.assertEqual(samples['gub_error_replies_total{code="ERR"}'], 0)

    def connect(self, node):
        client = redis.Redis(port=node.port)
        self.addCleanup(client.close)
        return client

    def answers(self, client, *commands):
        """All on one connection; errors by their first word."""
        pipeline = client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return [str(reply).split()[0] if isinstance(reply, redis.RedisError) else reply
                for reply in pipeline.execute(raise_on_error=False)]

    def test_a_request_that_is_sent_elsewhere_counts_there(self):
        cluster = http_cluster.Cluster(SERVER, self)
        key = cluster.key_of(1)
        asked, owner = (self.connect(node) for node in cluster.nodes[:2])
        asked.config_set("cluster-redirect", "yes")
        take = ("GUB.TAKE", key, 5, 1)
        commands = (take, ("GUB.RESET", "gub.take", key), ("DEL", key))
        nodes.eventually(lambda: self.answers(asked, take) == ["MOVED"],
                         "its worker knows the owner")
        before = cluster.sums()
        self.assertEqual(self.answers(asked, *commands), ["MOVED"] * 3)
        self.assertEqual(self.answers(asked, ("MULTI",), take, ("DISCARD",)),
                         [b"OK", "MOVED", b"OK"])
        self.assertEqual(cluster.sums(), before)
        self.assertEqual(self.answers(owner, ("DEL", key), *commands)[1:], [[1, 4, 0], 1, 0])
        self.assertEqual(cluster.sums(), {**before, "admitted": before["admitted"] + 1,
                                          "reset": before["reset"] + 3})

    def test_a_reset_whose_owner_is_silent_is_an_error_and_no_reset(self):
        cluster = http_cluster.Cluster(SERVER, self, peer_timeout_ms=200)
        key = cluster.key_of(1)
        cluster.stall(1, 600_000)
        client = self.connect(cluster.nodes[0])
        reset = ("GUB.RESET", "gub.take", key)
        self.assertEqual(self.answers(client, reset), ["OWNERDOWN"])
        nothing = dict.fromkeys(http_cluster.RESULTS, 0)
        self.assertEqual(cluster.sums(), {**nothing, "error": 1})
        cluster.stall(1, 0)
        nodes.eventually(lambda: self.answers(client, reset) == [0], "it answers again")
        self.assertEqual(cluster.sums()["reset"], 1)


class Load(threading.Thread):
    """Requests of all kinds through one node by both fronts, each counted once."""

    def __init__(self, cluster, test, node, until):
        super().__init__()
        self.client = cluster.client(test, node)
        self.redis = redis.Redis(port=cluster.ports[node])
        self.until = until
        self.number = node
        self.counts = dict.fromkeys(http_cluster.RESULTS, 0)
        self.trouble = None

    def run(self):
        try:
            while time.monotonic() < self.until:
                self.round()
        except Exception as error:  # pylint: disable=broad-except
            self.trouble = error
        self.redis.close()

    def note(self, status):
        self.counts["admitted" if status in (200, "UNDER_LIMIT", 0) else "denied"] += 1

    def round(self):
        self.number += 1
        key = f"key:{self.number % 97}"
        behaviors = ("BATCHING", "NO_BATCHING", "GLOBAL")
        for algorithm in ("token", "leaky"):
            self.note(self.client.check(name="n", key=key, limit=40, duration="1s",
                                        algorithm=algorithm,
                                        behavior=behaviors[self.number % 3]).status)
        items = [{"name": "n", "unique_key": f"{key}:{i}", "hits": 1, "limit": 3, "duration": 500}
                 for i in range(8)]
        items += [{**items[0], "hits": 0}, {**items[1], "hits": -1}, {**items[2], "behavior": 8},
                  {**items[3], "unique_key": ""}]
        answers = self.client.decide(items).json()["responses"]
        for answer in answers[:8]:
            self.note(answer["status"])
        for result in ("peek", "refunded", "reset", "error"):
            self.counts[result] += 1
        pipeline = self.redis.pipeline(transaction=False)
        for i in range(8):
            pipeline.execute_command("GUB.HIT", "r", f"{key}:{i}", 1, 5, 700)
        for reply in pipeline.execute():
            self.note(reply[0])
        self.counts["error"] += self.client.check(name="n", key=key, limit="x",
                                                  duration=1).status == 400
        self.note(self.client.check(name="n", key=key, limit=0, duration="1s").status)
        # From a lease, once there is one.
        for _ in range(8):
            self.note(self.client.check(name="g", key=f"key:{self.number % 5}", limit=1_000_000,
                                        duration="1h", behavior="GLOBAL").status)
        self.redis.execute_command("GUB.RESET", "r", f"{key}:0")
        self.counts["reset"] += 1
        try:
            self.redis.execute_command("GUB.HIT", "r", key)
        except redis.ResponseError:
            self.counts["error"] += 1


class Prometheus(nodes.Program):
    def __init__(self, test, targets):
        folder = tempfile.TemporaryDirectory(prefix="gub-prometheus-")
        test.addCleanup(folder.cleanup)
        config = pathlib.Path(folder.name) / "prometheus.yml"
        config.write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "rule_files": [str(ROOT / "docker/alerts.yml")],
            "scrape_configs": [{"job_name": "gub", "static_configs": [{"targets": targets}]}]}))
        self.port = nodes.free_ports(1)
        super().__init__(["prometheus", f"--config.file={config}",
                          f"--storage.tsdb.path={folder.name}/data",
                          f"--web.listen-address={nodes.HOST}:{self.port}"])
        self.client = http_nodes.Client(self.port)
        nodes.eventually(lambda: nodes.is_listening(self.port), "Prometheus listens")

    def ask(self, query):
        answer = self.client.get("/api/v1/query?" + urllib.parse.urlencode({"query": query}))
        return answer.json()["data"]["result"]


class AccountingTest(unittest.TestCase):
    def test_what_prometheus_sees_is_what_the_clients_counted(self):
        cluster = http_cluster.Cluster(SERVER, self)
        prometheus = Prometheus(self, [f"{nodes.HOST}:{port + 3}" for port in cluster.ports])
        self.addCleanup(prometheus.stop)
        until = time.monotonic() + SECONDS
        loads = [Load(cluster, self, i % 3, until) for i in range(3)]
        for load in loads:
            load.start()
        for load in loads:
            load.join()
        self.assertEqual([load.trouble for load in loads], [None] * 3)
        counted = {result: sum(load.counts[result] for load in loads)
                   for result in http_cluster.RESULTS}
        print(f"requests counted by the clients: {counted}")
        self.assertEqual(cluster.sums(), counted)
        self.assertGreater(min(counted.values()), 0)
        forwarded = sum(http_nodes.metrics(client)["gub_forwarded_requests_total"]
                        for client in cluster.clients)
        self.assertGreater(forwarded, 100)
        leased = sum(http_nodes.metrics(client)['gub_global_requests_total{by="lease"}']
                     for client in cluster.clients)
        self.assertGreater(leased, 100)
        peer = cluster.nodes[1].address
        samples = http_nodes.metrics(cluster.clients[0])
        batches = samples[f'gub_peer_batch_duration_seconds_count{{peer="{peer}"}}']
        self.assertGreaterEqual(samples[f'gub_peer_batches_total{{peer="{peer}"}}'], batches)
        self.assertGreater(batches, 10)
        mean_s = samples[f'gub_peer_batch_duration_seconds_sum{{peer="{peer}"}}'] / batches
        self.assertTrue(0 < mean_s < 10, mean_s)

        def seen():
            by_result = {sample["metric"]["result"]: float(sample["value"][1]) for sample in
                         prometheus.ask("sum by (result) (gub_decisions_total)")}
            errors = prometheus.ask("sum(gub_request_errors_total)")
            return {**by_result, "error": float(errors[0]["value"][1])} if errors else {}
        nodes.eventually(lambda: seen() == counted, "Prometheus has scraped the last of it")
        up = prometheus.ask('up{job="gub"}')
        self.assertEqual([sample["value"][1] for sample in up], ["1"] * 3)
        always_up = prometheus.ask('min_over_time(up{job="gub"}[1m])')
        self.assertEqual([sample["value"][1] for sample in always_up], ["1"] * 3)


if __name__ == "__main__":
    sys.argv[1:] = []
    sys.exit(nodes.run_tests())
