"""Clusters for tests of GLOBAL limits."""

import threading
import time

import nodes
import redis

UNDER, OVER = 0, 1


class Cluster:
    """Nodes of one static list, or of that in members_file, and a connection to each."""

    def __init__(self, add_cleanup, server, count, *options, members_file=None, **node_options):
        self.server = server
        first = nodes.free_ports(count)
        self.ports = list(range(first, first + count))
        self.members_file = members_file
        listed = ["--peers", self.members()]
        if members_file:
            members_file.write_text(self.members())
            listed = ["--discovery", "file", "--discovery-file", members_file]
        self.options = [*listed, "--enable-debug-commands", "yes", *options]
        self.node_options = node_options
        self.nodes = [self.start(port) for port in self.ports]
        add_cleanup(lambda: [node.stop() for node in self.nodes if not node.output.closed])
        self.clients = [redis.Redis(port=port, decode_responses=True) for port in self.ports]
        add_cleanup(lambda: [client.close() for client in self.clients])
        self.connect()

    def members(self):
        return ",".join(f"{nodes.HOST}:{port}" for port in self.ports)

    def grow(self):
        """One more node, whom all know when this returns."""
        self.ports.append(nodes.free_ports(1))
        self.members_file.write_text(self.members())
        self.nodes.append(self.start(self.ports[-1]))
        self.clients.append(redis.Redis(port=self.ports[-1], decode_responses=True))
        for client in self.clients:
            nodes.eventually(lambda client=client: client.info("cluster")["cluster_members"]
                             == len(self.ports), "all members are known")
        self.connect()

    def start(self, port):
        return nodes.Node(self.server, port, *self.options, **self.node_options)

    def connect(self):
        """Every worker of every node has a link to every other node, so that it can be lent."""
        for client in self.clients:
            for port in self.ports:
                with redis.Redis(port=port, decode_responses=True) as other:
                    for i in range(40):
                        other.execute_command("GUB.HIT", "warm", f"k{i}", 0, 1, "1h")
            client.ping()

    def owner_of(self, key):
        """The place of the key's owner."""
        address = self.clients[0].execute_command("GUB.OWNER", key)
        return self.ports.index(int(address.rsplit(":", 1)[1]))

    def key_of(self, place, prefix="k"):
        """A key that this node owns."""
        return next(key for key in (f"{prefix}{i}" for i in range(10_000))
                    if self.owner_of(key) == place)

    def others(self, key):
        """The places of nodes that do not own the key."""
        owner = self.owner_of(key)
        return [place for place in range(len(self.ports)) if place != owner]

    def hit(self, place, key, hits, limit, duration="1h", *words, name="n"):
        """[status, remaining, reset]"""
        return self.clients[place].execute_command(
            "GUB.HIT", name, key, hits, limit, duration, *(words or ("token", "GLOBAL")))

    def left(self, place, key, limit, *words):
        return self.hit(place, key, 0, limit, "1h", *words)[1]

    def wait_for_left(self, key, limit, left, *words):
        for place in range(len(self.ports)):
            nodes.eventually(lambda place=place: self.left(place, key, limit, *words) == left,
                             f"{left} left at node {place}, "
                             f"where it is {self.left(place, key, limit, *words)}", 10)

    def info(self, place, field):
        return int(self.clients[place].info("global")[field])

    def sum(self, field):
        return sum(self.info(place, field) for place in range(len(self.ports)))

    def hammer(self, hits, seconds, pipeline=20, connections=2):
        """Sends what hits(place) gives again and again, at all nodes at once; how many were
        admitted, by place."""
        admitted = [0] * len(self.ports)
        lock = threading.Lock()
        errors = []

        def run(place):
            with redis.Redis(port=self.ports[place]) as client:
                end = time.monotonic() + seconds
                mine = 0
                while time.monotonic() < end:
                    batch = client.pipeline(transaction=False)
                    for _ in range(pipeline):
                        batch.execute_command(*hits(place))
                    try:
                        mine += sum(reply[0] == UNDER for reply in batch.execute())
                    except redis.RedisError as error:
                        errors.append(str(error))
                        return
                    time.sleep(0.005)
            with lock:
                admitted[place] += mine

        threads = [threading.Thread(target=run, args=(place,))
                   for place in range(len(self.ports)) for _ in range(connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise AssertionError(errors[0])
        return admitted


def hit_words(key, limit, *words):
    return ("GUB.HIT", "n", key, 1, limit, "1h", *(words or ("token", "GLOBAL")))
