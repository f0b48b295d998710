"""Three nodes with HTTP fronts."""

import http_nodes
import nodes
import redis

RESULTS = ("admitted", "denied", "refunded", "peek", "reset", "error")


class Cluster:
    def __init__(self, server, test, **options):
        first = nodes.free_ports(6)
        self.ports = range(first, first + 3)
        peers = [f"{nodes.HOST}:{port}" for port in self.ports]
        self.nodes = []
        for port in self.ports:
            self.nodes.append(nodes.Node(server, port, "--peers", *peers,
                                         "--enable-debug-commands", "yes", http_port=port + 3,
                                         **options))
            test.addCleanup(self.nodes[-1].stop)
        self.clients = [self.client(test, i) for i in range(3)]
        for node in self.nodes:
            node.wait_for_log("the members have changed")

    def client(self, test, node):
        client = http_nodes.Client(self.ports[node] + 3)
        test.addCleanup(client.close)
        return client

    def owner_of(self, key):
        with redis.Redis(port=self.ports[0], decode_responses=True) as asked:
            return self.ports.index(int(asked.execute_command("GUB.OWNER", key).split(":")[1]))

    def sums(self, alive=range(3)):
        total = dict.fromkeys(RESULTS, 0)
        for i in alive:
            for result, count in http_nodes.decisions(http_nodes.metrics(self.clients[i])).items():
                total[result] += count
        return total

    def key_of(self, node):
        """A key that this node owns."""
        return next(key for key in map(str, range(1000)) if self.owner_of(key) == node)

    def stall(self, node, milliseconds):
        """Keeps a node from answering the others for so long; 0: no longer."""
        with redis.Redis(port=self.ports[node]) as stalled:
            stalled.execute_command("GUB.DEBUG", "STALL", milliseconds)
