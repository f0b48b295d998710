"""Gets a client ready in its work folder: copies its files, installs it, and builds its driver."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PROBE_SECONDS = 60
INSTALL_SECONDS = 900
BUILD_SECONDS = 900


class NotInstalled(Exception):
    """Says why a client is not there."""


def run(command, folder, seconds, environment=None):
    """The status and the output of a command; it and its children end after these seconds."""
    try:
        process = subprocess.Popen(command, cwd=folder, env=environment, text=True,
                                   errors="replace", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
    except FileNotFoundError:
        return 127, f"there is no {command[0]} here"
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return 124, f"{output}\n{command[0]} did not end within {seconds} seconds"


class Workshop:
    """The work folders of all clients, below one cache folder, and what was downloaded for them."""

    def __init__(self, cache):
        self.cache = pathlib.Path(cache).resolve()

    def prepare(self, client):
        """The work folder, with a driver that can run; throws NotInstalled or RuntimeError."""
        folder = self.cache / (client.manifest or client.name.replace(" ", "-"))
        folder.mkdir(parents=True, exist_ok=True)
        if client.probe and run(client.probe, folder, PROBE_SECONDS)[0] != 0:
            raise NotInstalled(f"the Debian package {client.packages} is missing")
        for name in client.drivers:
            shutil.copy(HERE / "drivers" / name, folder)
        if client.manifest:
            self._install(client, folder)
        for command in client.build:
            status, output = run(command, folder, BUILD_SECONDS, self._environment())
            if status != 0:
                raise RuntimeError(f"the driver does not build:\n{output.strip()}")
        return folder

    def _install(self, client, folder):
        """Installs what the manifest says, unless it was installed from the same one before."""
        manifest = HERE / "manifests" / client.manifest
        digest = hashlib.sha256(repr(client.install).encode())
        for file in sorted(manifest.iterdir()):
            digest.update(file.read_bytes())
        stamp = folder / "installed"
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        for file in manifest.iterdir():
            shutil.copy(file, folder)
        for command in client.install:
            status, output = run(command, folder, INSTALL_SECONDS, self._environment())
            if status != 0:
                lines = [line for line in output.splitlines() if line.strip()]
                raise NotInstalled(lines[0][:200] if lines else f"{command[0]} failed")
        stamp.write_text(digest.hexdigest())

    def _environment(self):
        """Where the tools keep what they download and compile: in the cache folder too."""
        downloads = self.cache / "downloads"
        return {**os.environ,
                "npm_config_cache": str(downloads / "npm"),
                "GOMODCACHE": str(downloads / "go-modules"),
                "GOCACHE": str(downloads / "go-build"),
                "GOTOOLCHAIN": "local",
                "CARGO_HOME": str(downloads / "cargo")}
