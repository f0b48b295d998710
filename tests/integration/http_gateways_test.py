#!/usr/bin/python3
"""The blocks of docs/gateways.md in front of a toy application, with the real gateways; and wrk:
http_gateways_test.py PATH_OF_GUB_SERVER
"""

import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import http_nodes  # pylint: disable=wrong-import-position
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
DOCS = (ROOT / "docs/gateways.md").read_text()


def block(language):
    """The block of docs/gateways.md in that language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", DOCS, re.M | re.S)
    if len(found) != 1:
        raise AssertionError(f"docs/gateways.md has {len(found)} blocks of {language}")
    return found[0]


class App(http.server.BaseHTTPRequestHandler):
    """Says its path; 403 to /forbidden."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(403 if self.path == "/forbidden" else 200)
        body = f"app {self.path}".encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class GatewaysTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gub-gateway-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        first = nodes.free_ports(4)
        self.gub_port, self.app_port, self.port = range(first + 1, first + 4)
        self.gub = nodes.Program([SERVER, "--port", first, "--http-port", self.gub_port, "--bind",
                                  nodes.HOST, "--threads", 2, "--max-keys", 10_000])
        self.addCleanup(self.gub.stop)
        self.gub.wait_for_log(" ready ")
        app = http.server.ThreadingHTTPServer((nodes.HOST, self.app_port), App)
        threading.Thread(target=app.serve_forever, daemon=True).start()
        self.addCleanup(app.server_close)
        self.addCleanup(app.shutdown)

    def text_of(self, language):
        text = block(language)
        for port, ours in (("7380", self.gub_port), ("8000", self.app_port), ("8080", self.port)):
            text = text.replace(f"127.0.0.1:{port}", f"{nodes.HOST}:{ours}")
        return text

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def start(self, *command):
        gateway = nodes.Program(command, cwd=self.folder,
                                environment={"HOME": str(self.folder), "NO_PROXY": "*",
                                             "XDG_DATA_HOME": str(self.folder),
                                             "XDG_CONFIG_HOME": str(self.folder)})
        self.addCleanup(gateway.stop)
        nodes.eventually(lambda: nodes.is_listening(self.port) or not gateway.is_running(),
                         "the gateway listens")
        self.assertTrue(gateway.is_running(), gateway.log() if not gateway.output.closed else "")
        return gateway

    def assert_limits(self, tricks=None):
        """Five pass, the next is 429 with its headers, whatever headers the client tries."""
        client = http_nodes.Client(self.port)
        self.addCleanup(client.close)
        for i in range(5):
            answer = client.ask("GET", f"/page/{i}", headers=tricks)
            self.assertEqual((answer.status, answer.body), (200, f"app /page/{i}"))
        answer = client.ask("GET", "/page/5", headers=tricks)
        self.assertEqual(answer.status, 429)
        self.assertRegex(answer.headers["retry-after"], "^[1-6]?[0-9]$")
        self.assertRegex(answer.headers["ratelimit"], '^"web";r=0;t=[1-6]?[0-9]$')
        self.assertNotIn("app", answer.body)

    TRICKS = {"X-Gub-Key": "another", "X-Gub-Hits": "0", "X-Gub-Limit": "1000",
              "X-Gub-Behavior": "8", "X-Forwarded-For": "10.9.8.7", "X-Real-IP": "10.9.8.7"}

    def start_nginx(self):
        temp = " ".join(f"{kind}_temp_path {self.folder}/{kind};"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = self.write("nginx.conf", f"""
            daemon off; pid {self.folder}/nginx.pid; error_log stderr; events {{}}
            http {{ access_log off; {temp} {self.text_of("nginx")} }}""")
        self.start("nginx", "-p", self.folder, "-e", "stderr", "-c", config)

    def test_nginx(self):
        self.start_nginx()
        self.assert_limits(self.TRICKS)

    def test_nginx_leaves_the_applications_403_alone(self):
        self.start_nginx()
        client = http_nodes.Client(self.port)
        self.addCleanup(client.close)
        answer = client.get("/forbidden")
        self.assertEqual((answer.status, answer.body), (403, "app /forbidden"))

    def test_caddy(self):
        config = self.write("Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\n" +
                            self.text_of("caddy"))
        self.start("caddy", "run", "--adapter", "caddyfile", "--config", config)
        self.assert_limits(self.TRICKS)

    def test_haproxy(self):
        self.write("gub.lua", self.text_of("lua"))
        config = self.write("haproxy.cfg", self.text_of("haproxy"))
        self.start("haproxy", "-db", "-f", config)
        self.assert_limits(self.TRICKS)

    def test_the_yaml_of_the_others_can_be_read(self):
        import yaml  # pylint: disable=import-outside-toplevel
        traefik, kong = (yaml.safe_load(text) for text in
                         re.findall(r"^```yaml\n(.*?)^```", DOCS, re.M | re.S))
        self.assertIn("/v1/check?", traefik["http"]["middlewares"]["limit"]["forwardAuth"]
                      ["address"])
        self.assertEqual(kong["plugins"][0]["name"], "pre-function")

    def test_wrk_is_admitted_as_often_as_the_limit_says(self):
        url = f"http://{nodes.HOST}:{self.gub_port}/v1/check?name=wrk&key=k&limit=1000&duration=1h"
        out = subprocess.run(["wrk", "-t1", "-c8", "-d1s", url], stdout=subprocess.PIPE, text=True,
                             timeout=60, check=True).stdout
        requests = int(re.search(r"(\d+) requests in", out).group(1))
        denied = int(re.search(r"Non-2xx or 3xx responses: (\d+)", out).group(1))
        self.assertNotIn("Socket errors", out)
        self.assertEqual(requests - denied, 1000)
        client = http_nodes.Client(self.gub_port)
        self.addCleanup(client.close)
        sums = http_nodes.decisions(http_nodes.metrics(client))
        # wrk goes when its time is over, with answers on their way to it.
        self.assertEqual(sums["admitted"], 1000)
        self.assertGreaterEqual(sums["denied"], denied)
        self.assertLessEqual(sums["denied"], denied + 8)

    def test_the_dashboard_asks_for_metrics_that_there_are(self):
        client = http_nodes.Client(self.gub_port)
        self.addCleanup(client.close)
        client.check(name="n", key="k", limit=1, duration=1000)
        there = set(re.findall(r"^# TYPE (\w+)", client.get("/metrics").body, re.M))
        dashboard = json.loads((ROOT / "docker/grafana.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"]
                       for target in panel["targets"]]
        rules = (ROOT / "docker/alerts.yml").read_text()
        asked = set(re.findall(r"\b(?:gub|process)_\w+", " ".join(expressions) + rules))
        asked = {re.sub("_(bucket|sum|count)$", "", name) for name in asked}
        self.assertLessEqual(asked, there)
        self.assertGreater(len(asked), 15)
        subprocess.run(["promtool", "check", "rules", str(ROOT / "docker/alerts.yml")],
                       check=True, stdout=subprocess.DEVNULL, timeout=30)


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
