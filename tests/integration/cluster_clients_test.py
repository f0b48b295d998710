#!/usr/bin/python3
"""Cluster clients against three nodes: cluster_clients_test.py PATH_OF_GUB_SERVER

Of each it prints which share of its hits a node had to pass on to the key's owner.
"""

import logging
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import redis

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
KEYS = 300
TOOL_DEADLINE_S = 60


def run(*command, **options):
    """What a tool prints; it must end well."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=TOOL_DEADLINE_S, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}")
    return done.stdout


class ClusterClientsTest(unittest.TestCase):
    OPTIONS = ()
    THREADS = 2

    @classmethod
    def setUpClass(cls):
        cls.port = nodes.free_ports(3)
        ports = range(cls.port, cls.port + 3)
        cls.nodes, cls.connections = [], []
        peers = [f"{nodes.HOST}:{port}" for port in ports]
        for port in ports:
            cls.nodes.append(nodes.Node(
                SERVER, port, "--peers", *peers, *cls.OPTIONS, threads=cls.THREADS))
            cls.addClassCleanup(cls.nodes[-1].stop)
            cls.connections.append(redis.Redis(port=port, decode_responses=True))
            cls.addClassCleanup(cls.connections[-1].close)

    @classmethod
    def tearDownClass(cls):
        for connection in cls.connections:
            connection.close()
        ends = [node.stop() for node in cls.nodes]
        if ends != [0, 0, 0]:
            raise RuntimeError(f"the nodes ended with {ends}")

    def setUp(self):
        for connection in self.connections:
            connection.flushall()

    def count(self, section, field):
        return sum(connection.info(section)[field] for connection in self.connections)

    def share_of(self, client, action, hits=KEYS):
        """Runs an action that makes so many hits; hands on how many of them were passed on."""
        forwarded = self.count("cluster", "forwarded_requests")
        admitted = self.count("gub", "hits_admitted")
        action()
        forwarded = self.count("cluster", "forwarded_requests") - forwarded
        self.assertEqual(self.count("gub", "hits_admitted") - admitted, hits)
        print(f"\n{client}: {forwarded} of {hits} hits passed on, {100 * forwarded / hits:.1f} %")
        return forwarded

    def redis_cli(self, left):
        """Hits every key once, and sees so many left."""
        script = "".join(f"GUB.HIT n key:{i} 1 10 1h\n" for i in range(KEYS))
        said = run("redis-cli", "-c", "-p", self.port, input=script).split("\n")
        replies = [line for line in said if line and not line.startswith("->")]
        self.assertEqual(len(replies), 3 * KEYS, said[:9])
        for i in range(KEYS):
            self.assertEqual(replies[3 * i:3 * i + 2], ["0", str(left)])


class ForwardingTest(ClusterClientsTest):
    """As a cluster is by default: every node answers for every key."""

    def cluster(self):
        client = redis.RedisCluster(host=nodes.HOST, port=self.port, decode_responses=True)
        self.addCleanup(client.close)
        return client

    def test_redis_py_goes_straight_to_the_owner(self):
        client = self.cluster()

        def hit_all(left):
            for i in range(KEYS):
                reply = client.execute_command("GUB.HIT", "n", f"key:{i}", 1, 10, "1h")
                self.assertEqual(reply[:2], [0, left])

        self.assertEqual(self.share_of("RedisCluster", lambda: hit_all(9)), 0)
        self.assertEqual(self.share_of("RedisCluster, again", lambda: hit_all(8)), 0)

    def test_so_do_its_pipelines(self):
        pipeline = self.cluster().pipeline()

        def hit_all():
            for i in range(KEYS):
                pipeline.execute_command("GUB.HIT", "n", f"key:{i}", 1, 10, "1h")
            self.assertEqual([reply[:2] for reply in pipeline.execute()], [[0, 9]] * KEYS)

        self.assertEqual(self.share_of("RedisCluster's pipeline", hit_all), 0)

    def test_so_do_the_other_commands_with_keys(self):
        client = self.cluster()

        def hit_all():
            for i in range(KEYS // 3):
                self.assertEqual(client.execute_command("GUB.TAKE", f"k{i}", 5, 1), [1, 4, 0])
                self.assertEqual(client.execute_command("CL.THROTTLE", f"k{i}", 3, 1, 60)[:3],
                                 [0, 4, 3])
                self.assertEqual(client.fcall("gub.hit", 1, f"k{i}", "n", 1, 10, "1h")[:2], [0, 9])

        self.assertEqual(self.share_of("RedisCluster, GUB.TAKE and others", hit_all), 0)
        self.assertEqual(client.execute_command("GUB.RESET", "n", "k1"), 1)
        self.assertEqual(client.delete("k1"), 1)

    def test_redis_py_stays_right_when_a_plain_client_hits_too(self):
        client = self.cluster()
        left = []
        for i in range(10):
            for place in (client, self.connections[i % 3]):
                left.append(place.execute_command("GUB.HIT", "n", "shared", 1, 100, "1h")[1])
        self.assertEqual(left, list(range(99, 79, -1)))

    def test_redis_cli_stays_where_it_is(self):
        forwarded = self.share_of("redis-cli -c", lambda: self.redis_cli(9))
        owned = sum(connection.dbsize() for connection in self.connections[1:])
        self.assertEqual(forwarded, owned)

    def test_redis_cli_finds_nothing_wrong_with_the_cluster(self):
        said = run("redis-cli", "--cluster", "check", self.nodes[1].address)
        for line in ("All nodes agree about slots configuration.", "All 16384 slots covered."):
            self.assertIn(line, said)

    def test_the_table_of_slots_names_nodes_as_gub_peers_does(self):
        connection = self.connections[2]
        peers = connection.execute_command("GUB.PEERS")
        peers = [dict(zip(peer[::2], peer[1::2])) for peer in peers]
        counts = {}
        for first, last, (host, port, node_id, _) in connection.execute_command("CLUSTER SLOTS"):
            name = (f"{host}:{port}", node_id)
            counts[name] = counts.get(name, 0) + last - first + 1
        self.assertEqual(counts, {(peer["address"], peer["id"]): peer["slots"] for peer in peers})

    def test_redis_benchmark_places_its_tags_on_all_nodes(self):
        hits = 6000

        def benchmark():
            said = run("redis-benchmark", "--cluster", "-p", self.port, "-n", hits, "-r", 1000,
                       "-q", "GUB.HIT", "a", "{tag}:__rand_int__", 1, 1_000_000, 60000)
            self.assertRegex(said, r"requests per second")
            self.assertNotRegex(said, "(?i)error|warning")

        self.assertEqual(self.share_of("redis-benchmark --cluster", benchmark, hits), 0)
        for connection in self.connections:
            self.assertGreater(connection.dbsize(), 0)


class RedirectTest(ClusterClientsTest):
    """With cluster-redirect, which answers MOVED once the link to the owner is up."""

    OPTIONS = ("--cluster-redirect", "yes")
    THREADS = 1  # Each thread has links of its own, and redirects once they are up.

    def setUp(self):
        super().setUp()
        for connection in self.connections:
            for i in range(20):
                nodes.eventually(lambda c=connection, i=i: self.is_redirected_or_owned(c, i),
                                 "the links are up")

    def is_redirected_or_owned(self, connection, i):
        here = f"{nodes.HOST}:{connection.connection_pool.connection_kwargs['port']}"
        owner = connection.execute_command("GUB.OWNER", f"probe:{i}")
        try:
            connection.execute_command("GUB.HIT", "n", f"probe:{i}", 0, 10, "1h")
            return owner == here
        except redis.ResponseError as error:
            return re.fullmatch(r"(MOVED )?\d+ " + re.escape(owner), str(error)) is not None

    def test_redis_cli_follows(self):
        self.assertEqual(self.share_of("redis-cli -c, cluster-redirect", lambda: self.redis_cli(9)),
                         0)

    def test_redis_py_has_nothing_to_follow(self):
        client = redis.RedisCluster(host=nodes.HOST, port=self.port)
        self.addCleanup(client.close)

        def hit_all():
            for i in range(KEYS):
                reply = client.execute_command("GUB.HIT", "n", f"key:{i}", 1, 10, "1h")
                self.assertEqual(reply[:2], [0, 9])

        self.assertEqual(self.share_of("RedisCluster, cluster-redirect", hit_all), 0)


class JoinTest(unittest.TestCase):
    """What RedisCluster makes of a fourth node that comes after it has read the table."""

    def start(self, redirect):
        """Three nodes that read their members from a file, and the client."""
        folder = tempfile.TemporaryDirectory(prefix="gub-join-")
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "members"
        self.port, self.nodes = nodes.free_ports(4), []
        self.options = ["--discovery", "file", "--discovery-file", self.file,
                        "--cluster-redirect", redirect]
        self.write_members(3)
        for _ in range(3):
            self.join()
        self.wait_for_members(3)
        self.client = redis.RedisCluster(host=nodes.HOST, port=self.port)
        self.addCleanup(self.client.close)

    def write_members(self, count):
        lines = [f"{nodes.HOST}:{self.port + i}\n" for i in range(count)]
        new = self.file.with_suffix(".new")
        new.write_text("".join(lines))
        new.rename(self.file)

    def join(self):
        node = nodes.Node(SERVER, self.port + len(self.nodes), *self.options, threads=1)
        self.addCleanup(node.stop)
        self.nodes.append(node)

    def wait_for_members(self, count):
        for node in self.nodes:
            with redis.Redis(port=node.port) as client:
                nodes.eventually(
                    lambda c=client: len(c.execute_command("GUB.PEERS")) == count, "all see it")

    def forwarded(self):
        """How many of the hits on every key are passed on."""
        def count():
            clients = [redis.Redis(port=node.port) for node in self.nodes]
            total = sum(client.info("cluster")["forwarded_requests"] for client in clients)
            for client in clients:
                client.close()
            return total

        before = count()
        for i in range(KEYS):
            reply = self.client.execute_command("GUB.HIT", "n", f"key:{i}", 1, 1_000_000, "1h")
            self.assertEqual(reply[0], 0)
        return count() - before

    def join_a_fourth(self):
        self.assertEqual(self.forwarded(), 0)
        self.write_members(4)
        self.join()
        self.wait_for_members(4)

    def test_without_redirect_it_does_not_hear_of_it(self):
        self.start("no")
        self.join_a_fourth()
        count = self.forwarded()
        print(f"\nRedisCluster after a join: {100 * count / KEYS:.1f} % passed on")
        self.assertIn(count, range(1, KEYS // 2))

    def test_with_redirect_it_learns(self):
        self.start("yes")
        self.join_a_fourth()
        nodes.eventually(lambda: self.forwarded() == 0, "the client has learned")


if __name__ == "__main__":
    # redis-py tells of every MOVED that it follows.
    logging.disable(logging.CRITICAL)
    sys.exit(nodes.run_tests())
