"""Starts gub-servers for the client matrix, on free ports of 127.0.0.1."""

import os
import re
import subprocess
import tempfile
import time

HOST = "127.0.0.1"
PASSWORD = "secret-password"
NOBODY_PORT = 1  # where no server answers: for a server that did not start
READY_SECONDS = 30
STOP_SECONDS = 30


class Server:
    """A gub-server, from its start to its end by SIGTERM. `error` says why it is not there."""

    def __init__(self, program, *options):
        self.log = tempfile.TemporaryFile("w+")
        self.port = NOBODY_PORT
        self.error = ""
        self.process = subprocess.Popen(
            [program, "--port", "0", "--http-port", "0", "--bind", HOST, "--threads", "2", "--max-keys", "100000",
             "--enable-debug-commands", "yes", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        self._wait_until_ready()

    def _wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            ended = self.process.poll() is not None
            log = self.read_log()
            found = re.search(r"listening address=127\.0\.0\.1:(\d+)", log)
            if found and " ready " in log:
                self.port = int(found.group(1))
                return
            if ended:
                self.error = "gub-server did not start: " + log.strip()
                return
            time.sleep(0.005)
        self.error = "gub-server was not ready in time: " + self.read_log().strip()

    def read_log(self):
        # Not by this file's own offset, for the child writes where that stands.
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode("utf-8", "replace")

    def stop(self):
        """Stops it; "" or what was wrong with its start or its end."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            status = self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        error = self.error
        if not error and status != 0:
            error = f"gub-server ended with status {status}:\n{self.read_log().strip()}"
        self.log.close()
        return error
