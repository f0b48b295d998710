"""What Python tests of several nodes share: programs with a log, gub-servers, an etcd, deadlines.

Everything listens on free ports of 127.0.0.1 and is stopped by its pid.
"""

import base64
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
import unittest

HOST = "127.0.0.1"
DEADLINE_S = 30


def eventually(question, what, deadline_s=DEADLINE_S):
    """Asks until the answer is true, and hands it on; AssertionError when the time is over."""
    deadline = time.monotonic() + deadline_s
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {deadline_s} s: {what}")
        time.sleep(0.02)


def run_tests():
    """Runs the tests of the program that was called, and prints how many there were; its exit
    status."""
    result = unittest.main(module="__main__", exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def free_ports(count):
    """The first of some ports in a row that nobody has. They are below those that the system
    hands out by itself, so that no stranger's connection takes one meanwhile."""
    while True:
        first = random.randrange(10_000, 30_000)
        if not any(is_listening(port) for port in range(first, first + count)):
            return first


class Program:
    """A child process whose output goes to a file. It ends when the test that started it does."""

    def __init__(self, command, **options):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GUB_OPT_")}
        environment.update(options.pop("environment", {}))
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *map(str, command)], env=environment,
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, **options)
        self.pid = self.process.pid

    def log(self):
        # By its own offset, for the child writes where this file object stands.
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode("utf-8", "replace")

    def wait_for_log(self, text):
        eventually(lambda: text in self.log() or self.process.poll() is not None, text)
        if text not in self.log():
            raise AssertionError(f"ended without {text!r}:\n{self.log()}")

    def send(self, number):
        self.process.send_signal(number)

    def wait(self):
        return self.process.wait(timeout=DEADLINE_S)

    def is_running(self):
        return self.process.poll() is None

    def stop(self, number=signal.SIGTERM):
        """The exit status, by a signal unless it has ended already."""
        if self.is_running():
            self.send(number)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.output.close()


class Node(Program):
    """A node of a cluster, ready."""

    def __init__(self, server, port, *options, threads=2, on_owner_failure="error",
                 peer_timeout_ms=10_000, http_port=0):
        self.port = port
        self.http_port = http_port
        self.address = f"{HOST}:{port}"
        # A stall of the machine is no dead owner.
        super().__init__([
            server, "--port", port, "--http-port", http_port, "--bind", HOST, "--threads", threads, "--max-keys", 10_000,
            "--cluster-enabled", "yes", "--advertise", self.address, "--on-owner-failure",
            on_owner_failure, "--peer-timeout-ms", peer_timeout_ms, *options])
        self.wait_for_log(" ready ")


def base64_of(text):
    return base64.b64encode(text.encode()).decode()


class Etcd:
    """An etcd whose data outlive it, until close()."""

    def __init__(self):
        self.data = tempfile.TemporaryDirectory(prefix="gub-etcd-")
        self.port = free_ports(1)
        self.address = f"{HOST}:{self.port}"
        self.program = None
        self.start()

    def start(self):
        url = f"http://{self.address}"
        self.program = Program(
            ["etcd", "--data-dir", self.data.name, "--listen-client-urls", url,
             "--advertise-client-urls", url, "--listen-peer-urls", f"http://{HOST}:0",
             "--heartbeat-interval", "20", "--election-timeout", "200"],
            # A proxy of the environment is not for it.
            environment={"NO_PROXY": "*", "no_proxy": "*"})
        self.program.wait_for_log("ready to serve client requests")

    def stop(self):
        """As by a power cut."""
        self.program.stop(signal.SIGKILL)

    def forget_everything(self):
        """As when the disk of an etcd that is stopped was lost."""
        self.data.cleanup()
        self.data = tempfile.TemporaryDirectory(prefix="gub-etcd-")

    def close(self):
        self.stop()
        self.data.cleanup()

    def ask(self, path, **request):
        """The answer of its JSON gateway."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=DEADLINE_S)
        try:
            connection.request("POST", path, json.dumps(request))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise AssertionError(f"{path} {request}: {answer.status} {body}")
            return json.loads(body)
        finally:
            connection.close()

    def put(self, key, value):
        """The revision that it made."""
        answer = self.ask("/v3/kv/put", key=base64_of(key), value=base64_of(value))
        return int(answer["header"]["revision"])

    def update_many(self, key, value, times):
        """Puts the same under a key so many times, then takes it away and puts it back as often,
        and at last takes it away."""
        put = json.dumps({"key": base64_of(key), "value": base64_of(value)})
        delete = json.dumps({"key": base64_of(key)})
        connection = http.client.HTTPConnection(HOST, self.port, timeout=DEADLINE_S)

        def send(path, body):
            connection.request("POST", path, body)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise AssertionError(f"{path}: {answer.status}")

        try:
            for _ in range(times):
                send("/v3/kv/put", put)
            for _ in range(times):
                send("/v3/kv/deleterange", delete)
                send("/v3/kv/put", put)
            send("/v3/kv/deleterange", delete)
        finally:
            connection.close()

    def leases(self, prefix):
        """The keys below a prefix, each with its lease."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        answer = self.ask("/v3/kv/range", key=base64_of(prefix), range_end=base64_of(end))
        return {base64.b64decode(entry["key"]).decode()[len(prefix):]: entry["lease"]
                for entry in answer.get("kvs", [])}
