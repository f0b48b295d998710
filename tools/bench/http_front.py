#!/usr/bin/python3
"""`make bench-http`: /v1/check beside an nginx that answers 204, and beside GUB.HIT, one at a time.

Prints medians of alternating rounds and their ratios; and what /metrics takes when a million keys
were denied. Servers have one processor and the clients another.

Environment: BUILD (build), ROUNDS (5), SECONDS_EACH (2), SERVER_CPU and CLIENT_CPU.
Exit codes: 0 measured, otherwise not.
"""

import os
import pathlib
import re
import statistics
import tempfile
import time
import urllib.request

import loads
from servers import BUILD, CLIENT_CPU, SERVER_CPU, Cost, Server, nodes

ROUNDS = int(os.environ.get("ROUNDS", 5))
SECONDS_EACH = int(os.environ.get("SECONDS_EACH", 2))
CONNECTIONS = 50
DENIED_KEYS = 1_000_000

CHECK, NGINX, HIT, LIVE = ("/v1/check by wrk", "nginx 204 by wrk", "GUB.HIT by redis-benchmark",
                           "/v1/LiveCheck by wrk")


class HttpGub(Server):
    def __init__(self):
        port = nodes.free_ports(2)
        self.http_port = port + 1
        super().__init__([BUILD / "gub-server", "--port", port, "--http-port", self.http_port,
                          "--bind", nodes.HOST, "--threads", 1, "--max-keys", 2_000_000], port,
                         SERVER_CPU)
        self.wait_for_log(" ready ")


class Nginx(Server):
    def __init__(self, folder):
        self.http_port = nodes.free_ports(1)
        temp = " ".join(f"{kind}_temp_path {folder}/{kind};"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = pathlib.Path(folder) / "nginx.conf"
        config.write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log stderr;\n"
            f"events {{ worker_connections 1000; }}\nhttp {{ access_log off; {temp}\n"
            f"keepalive_requests 1000000000;\n"
            f"server {{ listen {nodes.HOST}:{self.http_port}; return 204; }} }}\n", "utf-8")
        super().__init__(["nginx", "-e", "stderr", "-c", config], self.http_port, SERVER_CPU)
        nodes.eventually(lambda: nodes.is_listening(self.http_port), "nginx listens")


def wrk(server, path):
    """Requests a second and the 99th percentile in us; what they cost."""
    cost = Cost(server)
    out = loads.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS_EACH}s", "--latency",
                     f"http://{nodes.HOST}:{server.http_port}{path}"], CLIENT_CPU)
    requests = int(re.search(r"(\d+) requests in", out)[1])
    number, unit = re.search(r"99%\s+([0-9.]+)(us|ms|s)", out).groups()
    if "Socket errors" in out or "Non-2xx" in out:
        raise SystemExit(f"bench: {out}")
    return {"rate": float(re.search(r"Requests/sec:\s*([0-9.]+)", out)[1]),
            "p99": float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit], **cost.read(requests)}


def hit(server):
    requests = 40_000 * SECONDS_EACH
    cost = Cost(server)
    command = ("GUB.HIT", "bench", "key", "1", "1000000000", "1d")
    rate = loads.benchmark(server, command, requests, 1)
    return {"rate": rate, **cost.read(requests)}


def measure_metrics(gub):
    def scrape():
        start = time.monotonic()
        url = f"http://{nodes.HOST}:{gub.http_port}/metrics"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as answer:
            body = answer.read()
        lines = [line for line in body.splitlines() if not line.startswith(b"#")]
        return len(lines), len(body), (time.monotonic() - start) * 1000
    loads.fill(gub, ("GUB.HIT", "few", "key:%k", "1", "0", "1h"), 4, 1000)
    scrape()  # the first one makes the series of /metrics itself
    before = scrape()
    loads.fill(gub, ("GUB.HIT", "many", "key:%k", "1", "0", "1h"), 4, DENIED_KEYS)
    after = scrape()
    return (f"/metrics: {before[0]} series; after {DENIED_KEYS} distinct keys were denied {after[0]} "
            f"series, {after[1]} bytes, {after[2]:.1f} ms")


def main():
    samples = {}
    with tempfile.TemporaryDirectory(prefix="gub-bench-") as folder:
        gub, nginx = HttpGub(), Nginx(folder)
        try:
            path = "/v1/check?name=bench&key=key&limit=1000000000&duration=1d"
            for _ in range(ROUNDS):
                for name, found in ((CHECK, wrk(gub, path)), (NGINX, wrk(nginx, "/")),
                                    (HIT, hit(gub)), (LIVE, wrk(gub, "/v1/LiveCheck"))):
                    samples.setdefault(name, []).append(found)
            metrics = measure_metrics(gub)
        finally:
            gub.stop()
            nginx.stop()
    print(f"{'':28}  requests/s   p99 us   CPU us   waited   CPU / nginx   CPU / GUB.HIT")
    for name, rounds in samples.items():
        def median(field, rounds=rounds):
            return statistics.median(sample.get(field, float("nan")) for sample in rounds)

        def ratio(other, rounds=rounds):
            return statistics.median(a["cpu"] / b["cpu"] for a, b in zip(rounds, samples[other]))
        print(f"{name:28}  {median('rate'):10.0f}  {median('p99'):7.0f}  {median('cpu'):7.2f}  "
              f"{median('waited'):7.2f}  {ratio(NGINX):12.2f}  {ratio(HIT):14.2f}")
    print(metrics)


if __name__ == "__main__":
    main()
