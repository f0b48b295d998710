#!/usr/bin/python3
"""`make cluster`, which is tools/cluster.sh: cluster_script_test.py PATH_OF_GUB_SERVER"""

import os
import pathlib
import signal
import socket
import sys
import tempfile
import unittest

import redis

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())


def children_of(pid):
    return list(map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def command_of(pid):
    """The command line of a process; "" for one that is gone, or only waits to be reaped."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


class ClusterScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gub-script-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()

    def start(self, port, *arguments, **environment):
        # Whoever runs this in the background may have it ignore Ctrl-C, which children inherit.
        script = nodes.Program(
            [ROOT / "tools/cluster.sh", "--port", port, "--http-port",
             environment.pop("http_port", 0), "--threads", 1, "--max-keys", 1000,
             *arguments],
            environment={"SERVER": SERVER, "TMPDIR": str(self.scratch), **environment},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(script.stop)
        return script

    def start_ready(self, port, programs, **environment):
        """The script and its children's pids, once it has said how to call them."""
        script = self.start(port, **environment)
        script.wait_for_log("Ctrl-C stops all")
        children = [pid for pid in children_of(script.pid) if command_of(pid)]
        self.assertEqual(len(children), programs)
        return script, children

    def path_without_etcd(self):
        """A PATH with everything that is in the real one but etcd."""
        folder = self.folder / "bin"
        folder.mkdir()
        for place in os.environ["PATH"].split(":"):
            for program in os.listdir(place) if os.path.isdir(place) else []:
                if program != "etcd" and not os.path.lexists(folder / program):
                    os.symlink(os.path.join(place, program), folder / program)
        return str(folder)

    def assert_is_one_limiter(self, port):
        left, owners = [], set()
        for node in range(port, port + 3):
            with redis.Redis(port=node, decode_responses=True) as client:
                left.append(client.execute_command("GUB.HIT", "n", "k", 1, 10, "1h")[1])
                owners.add(client.execute_command("GUB.OWNER", "k"))
                self.assertEqual(len(client.execute_command("GUB.PEERS")), 3)
        self.assertEqual(left, [9, 8, 7])
        self.assertEqual(len(owners), 1)

    def assert_all_gone(self, port, children):
        # Those of a script that was killed end a little later than it.
        for pid in children:
            nodes.eventually(lambda pid=pid: not command_of(pid), f"the end of {pid}")
        self.assertFalse([node for node in range(port, port + 3) if nodes.is_listening(node)])

    def assert_ctrl_c_stops(self, script, port, children, number=signal.SIGINT):
        script.send(number)
        self.assertEqual(script.wait(), 0, script.log())
        self.assert_all_gone(port, children)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_with_an_etcd(self):
        port = nodes.free_ports(6)
        script, children = self.start_ready(port, 4, http_port=port + 3)
        for http_port in range(port + 3, port + 6):
            self.assertTrue(nodes.is_listening(http_port))
        self.assertIn("from etcd at 127.0.0.1:", script.log())
        for command in (f"redis-cli -p {port + 2} GUB.OWNER ", f"redis-cli -p {port} GUB.PEERS"):
            self.assertIn(command, script.log())
        self.assert_is_one_limiter(port)
        self.assert_ctrl_c_stops(script, port, children)

    def test_without_an_etcd_the_list_is_static(self):
        port = nodes.free_ports(3)
        script, children = self.start_ready(port, 3, PATH=self.path_without_etcd())
        self.assertIn("from a static list", script.log())
        self.assert_is_one_limiter(port)
        self.assert_ctrl_c_stops(script, port, children, signal.SIGTERM)

    def test_http_ports_that_overlap_the_others_are_refused(self):
        script = self.start(7400, http_port=7401)
        self.assertEqual(script.wait(), 1)
        self.assertEqual(script.log(), "cluster: the HTTP ports 7401 7402 7403 and the ports "
                         "7400 7401 7402 overlap\n")

    def test_a_port_that_is_taken_is_named_in_one_line(self):
        port = nodes.free_ports(3)
        with socket.create_server((nodes.HOST, port + 1)):
            script = self.start(port)
            self.assertEqual(script.wait(), 1)
        self.assertEqual(
            script.log(), f"cluster: port {port + 1} is taken; "
            'other ports: make cluster ARGS="--port 7400 --http-port 7410"\n')
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_node_that_ends_takes_all_with_it_and_is_named(self):
        port = nodes.free_ports(3)
        script, children = self.start_ready(port, 4)
        victim = next(pid for pid in children if f"--port {port + 1} " in command_of(pid))
        os.kill(victim, signal.SIGTERM)
        self.assertEqual(script.wait(), 1)
        self.assertIn(f"cluster: node-{port + 1} has ended", script.log())
        self.assertRegex(script.log(), "(?m)^    .* notice stopped$")
        self.assert_all_gone(port, children)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_node_that_cannot_start_is_named(self):
        port = nodes.free_ports(3)
        script = self.start(port, "--bind", "127.0.0.2")
        self.assertEqual(script.wait(), 1)
        self.assertEqual(
            script.log(), f"cluster: node-{port} did not start or find the others; "
            "the end of its log:\n    gub-server: --bind: it is given twice\n")
        self.assertEqual(os.listdir(self.scratch), [])

    def test_an_option_that_no_server_takes_starts_nothing(self):
        script = self.start(nodes.free_ports(3), GUB_OPT_MAX_ARGS="0")
        self.assertEqual(script.wait(), 1)
        self.assertIn("gub-server: GUB_OPT_MAX_ARGS: ", script.log())
        self.assertEqual(os.listdir(self.scratch), [])

    def test_nothing_outlives_a_script_that_was_killed(self):
        port = nodes.free_ports(3)
        script, children = self.start_ready(port, 4)
        script.send(signal.SIGKILL)
        script.wait()
        self.assert_all_gone(port, children)


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
