"""redis-benchmark, RESP2 and RESP3: redis_benchmark.py HOST PORT PASSWORD_PORT PASSWORD

It shows no replies, so redis-cli looks afterwards: a hit with a larger limit tells what was used.
"""

import os
import subprocess

from check import HOST, LIMIT_ERROR, NAME, PASSWORD, PASSWORD_PORT, PORT, equal, matches, report

TIMEOUT = 20
RECIPE = r"""
# recipe
redis-benchmark -h "$host" -p "$port" -n 10000 -c 20 -P 10 -r 1000 \
    GUB.HIT logins user:__rand_int__ 1 5 1h
# end of recipe
"""
PROTOCOLS = {"resp2": (), "resp3": ("-3",)}


def call(program, *arguments, port=PORT):
    return subprocess.run([program, "-h", HOST, "-p", str(port), *map(str, arguments)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)


def benchmark(requests, connections, *arguments, port=PORT):
    """Its exit status, and all that it printed."""
    done = call("redis-benchmark", "-q", "-n", requests, "-c", connections, *arguments, port=port)
    return done.returncode, done.stdout + done.stderr


def hits(key, cost, limit):
    return ("GUB.HIT", NAME, key, cost, limit, "60s")


def passes(result):
    status, output = result
    equal(status, 0)
    matches(output, "requests per second")


def fails(result, text):
    status, output = result
    equal(status, 1)
    matches(output, text)


def remaining(key, limit, *arguments, port=PORT):
    done = call("redis-cli", "--no-auth-warning", *arguments, *hits(key, 0, limit), port=port)
    return int(done.stdout.splitlines()[1])


def hellos():
    """How many HELLO the server has answered."""
    for line in call("redis-cli", "INFO", "commandstats").stdout.splitlines():
        if line.startswith("cmdstat_hello:calls="):
            return int(line.split("=")[1].split(",")[0])
    return 0


def recipe():
    return subprocess.run(["sh", "-c", RECIPE], env={**os.environ, "host": HOST, "port": str(PORT)},
                          capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout


def connect_resp2():
    before = hellos()
    passes(benchmark(1, 1, "PING"))
    equal(hellos(), before)


def connect_resp3():
    before = hellos()
    passes(benchmark(1, 1, "-3", "PING"))
    equal(hellos() > before, True)


def three_hits():
    for key, protocol in PROTOCOLS.items():
        passes(benchmark(3, 1, *protocol, *hits("hit-" + key, 1, 10)))
        equal(remaining("hit-" + key, 10), 7)
        passes(benchmark(1, 1, *protocol, *hits("hit-" + key, 100, 10)))
        equal(remaining("hit-" + key, 10), 7)
    matches(recipe(), "10000 requests completed")


def pipeline():
    for key, protocol in PROTOCOLS.items():
        passes(benchmark(1000, 1, "-P", 1000, *protocol, *hits("pipeline-" + key, 1, 600)))
        equal(remaining("pipeline-" + key, 1000), 400)


def auth():
    port = PASSWORD_PORT
    fails(benchmark(1, 1, *hits("auth", 1, 10), port=port), "NOAUTH")
    fails(benchmark(1, 1, "-a", "wrong", *hits("auth", 1, 10), port=port), "WRONGPASS")
    passes(benchmark(1, 1, "-a", PASSWORD, *hits("auth", 1, 10), port=port))
    passes(benchmark(1, 1, "--user", "default", "-a", PASSWORD, "-3", *hits("auth", 1, 10),
                     port=port))
    equal(remaining("auth", 10, "-a", PASSWORD, port=port), 8)


def error_reply():
    for protocol in PROTOCOLS.values():
        fails(benchmark(1, 1, *protocol, "GUB.HIT", "n", "k", 1, -1, "1s"), "ERR " + LIMIT_ERROR)


def concurrent():
    for key, protocol in PROTOCOLS.items():
        passes(benchmark(1000, 200, *protocol, *hits("concurrent-" + key, 1, 500)))
        equal(remaining("concurrent-" + key, 1000), 500)


def main():
    version = subprocess.run(["redis-benchmark", "--version"], capture_output=True, text=True,
                             timeout=TIMEOUT, check=True).stdout
    print("version", version.split()[1])
    report("connect-resp2", connect_resp2)
    report("connect-resp3", connect_resp3)
    report("hit", three_hits)
    report("pipeline", pipeline)
    report("auth", auth)
    report("error-reply", error_reply)
    report("concurrent", concurrent)


if __name__ == "__main__":
    main()
