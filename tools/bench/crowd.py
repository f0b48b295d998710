#!/usr/bin/python3
"""Bad neighbours for a server: idle clients, slow ones, and one that never reads.

  tools/bench/crowd.py PORT [--idle 5000] [--slow 1000] [--seconds 20]

Prints "ready" when all are connected, then goes on until --seconds have passed or stdin ends. Slow
clients send one byte a second; the one that never reads pipelines a million hits, as long as the
server takes them.
"""

import argparse
import resource
import select
import socket
import sys
import time

REQUEST = b"*6\r\n$7\r\nGUB.HIT\r\n$5\r\ncrowd\r\n$1\r\nk\r\n$1\r\n1\r\n$2\r\n10\r\n$2\r\n1h\r\n"


def connect(port):
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    client.setblocking(False)
    return client


def send_some(client, data):
    """How many bytes the kernel took."""
    try:
        return client.send(data)
    except BlockingIOError:
        return 0
    except OSError:
        return len(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--slow", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    idle = [connect(options.port) for _ in range(options.idle)]
    slow = [connect(options.port) for _ in range(options.slow)]
    deaf = connect(options.port)
    unread = REQUEST * 1_000_000
    print("ready", len(idle) + len(slow) + 1, flush=True)

    sent, at = 0, 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for client in slow:
            send_some(client, REQUEST[at:at + 1])
        at = (at + 1) % len(REQUEST)
        for _ in range(100):
            sent += send_some(deaf, unread[sent:sent + 65536])
            if select.select([sys.stdin], [], [], 0.01)[0]:
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
