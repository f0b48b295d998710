#!/usr/bin/python3
"""Holds README.md to a real server: the command reference, the recipes, the messages it quotes.

  tests/docs/readme_test.py SERVER [unittest argument...]

Exit codes: 0 all passed, 1 not. The last line is 'N passed, N failed, N skipped'.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import redis

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DAY_MS = 86_400_000
DEADLINE_S = 60


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
reference = load(ROOT / "tools/command_reference.py")
SERVER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/gub-server").resolve()


def blocks(language):
    """(mark, code) of every fenced block of a language; the mark is '' where there is none."""
    fence = re.compile(r"(?:<!-- recipe: (\S+) -->\n)?```" + language + r"\n(.*?)^```$", re.S | re.M)
    return [(mark or "", code) for mark, code in fence.findall(README)]


def recipe(name, language="python"):
    return next(code for mark, code in blocks(language) if mark == name)


def recipes(port, *names):
    """What the Python recipes define, called on a server at `port`."""
    scope = {}
    for name in names:
        code = recipe(name).replace("port=7379", f"port={port}")
        exec(compile(code, f"README.md, {name}", "exec"), scope)  # pylint: disable=exec-used
    return scope


def refused_start(*arguments, **environment):
    """What a server says that does not start."""
    process = subprocess.run(
        [str(SERVER), *arguments], env={**os.environ, **environment}, timeout=DEADLINE_S,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return process.returncode, process.stderr.rstrip("\n")


class ServerTest(unittest.TestCase):
    """Tests with one server among them, whose clock stands still."""

    NOW_MS = 1_767_225_600_000

    @classmethod
    def setUpClass(cls):
        context = reference.running_server(SERVER, "--enable-debug-commands", "yes")
        cls.port = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.client = redis.Redis(port=cls.port, decode_responses=True)

    def setUp(self):
        self.call("FLUSHALL")
        self.call("GUB.DEBUG", "CLOCK", "SET", self.NOW_MS)

    def call(self, *words):
        return self.client.execute_command(*words)


class ReferenceTest(ServerTest):
    def test_the_command_reference_is_what_the_server_says(self):
        self.assertEqual(
            README[reference.block_in(README)], reference.render(self.port),
            "make it anew: tools/command_reference.py --write")

    def test_the_syntax_of_gub_hit_has_every_argument(self):
        docs = reference.pairs(reference.raw_client(self.port).execute_command("COMMAND DOCS"))
        for argument in map(reference.pairs, reference.pairs(docs["gub.hit"])["arguments"]):
            word = argument.get("token", argument["name"])
            self.assertRegex(README, rf"(?m)^\| `{word}[ `]")

    def test_every_field_of_info_gub_is_explained(self):
        table = README[README.index("| field | what it counts |"):].split("\n\n")[0]
        self.assertEqual(
            set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`(?=[,| ])", table)) - {"max-keys"},
            set(self.client.info("gub")))

    def test_the_options_and_fields_it_names_exist(self):
        options = self.client.config_get("*")
        named = set(re.findall(r"--([a-z-]+) ", README)) - {"write", "print-config", "help"}
        named |= {word.lower().replace("_", "-") for word in re.findall(r"GUB_OPT_(\w+)=", README)}
        self.assertLessEqual(named - {"no-raw", "prot"}, set(options))
        stats = self.client.info("stats")
        for field in re.findall(r"`(\w+_(?:connections|errors|disconnections))`", README):
            if field != "request_errors":
                self.assertIn(field, stats)


class RecipeTest(ServerTest):
    def test_hit_answers_a_dict(self):
        hit = recipes(self.port, "hit")["hit"]
        self.assertEqual(hit("logins", "user:42", 2, "1d"), {
            "status": 0, "limit": 2, "remaining": 1, "reset": self.NOW_MS + DAY_MS,
            "retry_after": 0, "owner": f"127.0.0.1:{self.port}", "degraded": 0})
        self.assertEqual(hit("logins", "user:42", 2, "1d", hits=2)["retry_after"], DAY_MS)

    def test_a_hit_whose_reply_was_lost_is_not_sent_again(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            requests = []

            def drop_clients():
                while True:
                    client, _ = listener.accept()
                    with client:
                        requests.append(client.recv(65536))
                    if b"stop" in requests[-1]:
                        return

            thread = threading.Thread(target=drop_clients)
            thread.start()
            port = listener.getsockname()[1]
            with self.assertRaises(redis.ConnectionError):
                recipes(port, "hit")["hit"]("logins", "user:42", 2, "1d")
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(b"stop")
            thread.join(DEADLINE_S)
        self.assertEqual(len([r for r in requests if b"GUB.HIT" in r]), 1)

    def test_the_decorator_raises_with_the_time_to_retry(self):
        scope = recipes(self.port, "hit", "limited")
        for _ in range(20):
            self.assertEqual(scope["invite"]("ann", "b@example.org"), "ann invites b@example.org")
        self.call("GUB.DEBUG", "CLOCK", "ADVANCE", 1000)
        with self.assertRaises(scope["TooManyRequests"]) as caught:
            scope["invite"]("ann", "c@example.org")
        self.assertEqual(caught.exception.retry_after_ms, DAY_MS - 1000)
        self.assertEqual(str(caught.exception), f"over the limit, retry in {DAY_MS - 1000} ms")
        self.assertTrue(scope["invite"]("bob", "c@example.org"))

    def serve(self, middleware, address="10.0.0.1"):
        """(status, headers, body) of a request through a middleware."""
        answer = []
        body = b"".join(middleware({"REMOTE_ADDR": address}, lambda *words: answer.extend(words)))
        return answer[0], dict(answer[1]), body

    @staticmethod
    def application(_environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"hello\n"]

    def test_the_middleware_answers_429_and_when_to_retry(self):
        rate_limit = recipes(self.port, "hit", "middleware")["RateLimit"]
        middleware = rate_limit(self.application, "per_address", 2, "1m")
        passed = ("200 OK", {"Content-Type": "text/plain"}, b"hello\n")
        self.assertEqual(self.serve(middleware), passed)
        self.assertEqual(self.serve(middleware), passed)
        self.call("GUB.DEBUG", "CLOCK", "ADVANCE", 500)
        status, headers, body = self.serve(middleware)
        self.assertEqual((status, headers["Retry-After"]), ("429 Too Many Requests", "60"))
        self.assertEqual(body, b"too many requests\n")
        self.assertEqual(self.serve(middleware, "10.0.0.2"), passed)
        nobody = rate_limit(self.application, "nobody", 0, "1m")
        self.assertNotIn("Retry-After", self.serve(nobody)[1])

    def test_the_middleware_lets_requests_through_without_gub(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]  # nobody listens there once it is closed
        rate_limit = recipes(port, "hit", "middleware")["RateLimit"]
        middleware = rate_limit(self.application, "per_address", 0, "1m")
        self.assertEqual(self.serve(middleware)[0], "200 OK")

    def test_all_python_compiles(self):
        self.assertGreaterEqual(len(blocks("python")), 5)
        for _, code in blocks("python"):
            compile(code, "README.md", "exec")

    @unittest.skipUnless(shutil.which("redis-server"), "there is no redis-server")
    def test_the_lua_script_and_gub_take_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "socket"
            server = subprocess.Popen(
                ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
                stdout=subprocess.PIPE, text=True)
            deadline = threading.Timer(DEADLINE_S, server.kill)
            deadline.start()
            try:
                for line in server.stdout:
                    if "ready to accept connections" in line.lower():
                        break
                script = redis.Redis(unix_socket_path=str(path)).register_script(
                    recipe("lua", "lua"))
                for ms, cost in [(0, 4), (0, 4), (0, 4), (3999, 4), (1, 4), (60_000, 11), (0, 10)]:
                    self.call("GUB.DEBUG", "CLOCK", "ADVANCE", ms)
                    now_ms = self.NOW_MS = self.NOW_MS + ms
                    in_redis = script(["upload:42"], [10, "0.5", cost, now_ms / 1000])
                    in_gub = self.call("GUB.TAKE", "upload:42", 10, "0.5", cost)
                    self.assertEqual(in_gub[:2], in_redis, f"after {ms} ms, cost {cost}")
            finally:
                server.terminate()
                server.communicate()
                deadline.cancel()


class MessageTest(ServerTest):
    def quoted(self, text):
        self.assertIn(f"`{text}`", README)

    def test_the_port_is_taken(self):
        code, text = refused_start("--port", str(self.port), "--bind", "127.0.0.1")
        self.assertEqual(code, 1)
        self.quoted(text.replace(str(self.port), "7379"))

    def test_the_start_is_refused(self):
        for arguments in (["--prot", "1"], ["--port", "99999"]):
            code, text = refused_start(*arguments)
            self.assertEqual(code, 1)
            self.quoted(text)
        self.assertEqual(
            refused_start(GUB_OPT_PROT="1"),
            (1, "gub-server: GUB_OPT_PROT: unknown option 'prot', did you mean 'port'?"))

    def test_the_error_replies(self):
        hit = ["GUB.HIT", "logins", "user:42", "1", "2"]
        for words in (
            hit, ["GUB.HIT", "", "k", "1", "2", "1h"], ["GUB.HIT", "n", "", "1", "2", "1h"],
            ["GUB.HIT", "n", "k" * 4096, "1", "2", "1h"], ["GUB.HIT", "n", "k", "x", "2", "1h"],
            ["GUB.HIT", "n", "k", "1", "-2", "1h"], [*hit, "0"], [*hit, "6", "token", "4"],
            [*hit, "1h", "x"], [*hit, "1h", "token", "x"], [*hit, "1h", "ONFAIL", "x"],
            [*hit, "1h", "token", "0", "x"], [*hit, "1h", "FULL", "FULL"], [*hit, "1h", "BURST"],
            [*hit, "1h", "DRAIN_OVER_LIMIT"], ["SELECT", "1"],
        ):
            with self.assertRaises(redis.ResponseError) as caught:
                reference.raw_client(self.port).execute_command(*words)
            # redis-py takes the code ERR away.
            self.quoted("ERR " + str(caught.exception))

    def test_a_full_table_refuses_new_keys_only(self):
        with reference.running_server(SERVER, "--eviction", "refuse", max_keys=2) as port:
            client = reference.raw_client(port)
            for key in "ab":
                client.execute_command("GUB.HIT", "n", key, 1, 10, "1h")
            with self.assertRaises(redis.ResponseError) as caught:
                client.execute_command("GUB.HIT", "n", "c", 1, 10, "1h")
            self.quoted(str(caught.exception))
            self.assertEqual(client.execute_command("GUB.HIT", "n", "c", 0, 10, "1h")[:2], [0, 10])
            self.assertEqual(client.execute_command("GUB.HIT", "n", "a", 1, 10, "1h")[:2], [0, 8])


class PageTest(unittest.TestCase):
    PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

    def test_every_link_leads_somewhere(self):
        for page in self.PAGES:
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                path, _, anchor = target.partition("#")
                if ":" in path:
                    continue
                file = page.parent / path if path else page
                self.assertTrue(file.exists(), f"{page.name}: {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(file), page.name)

    @staticmethod
    def anchors(page):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        headings = re.findall(r"^#+ (.*)$", text, re.M)
        return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}

    def test_every_path_it_names_exists(self):
        for page in self.PAGES:
            text = page.read_text(encoding="utf-8")
            for path in re.findall(r"`((?:src|include|tests|tools|conf|docs|docker)/[\w./]*)", text):
                self.assertTrue((ROOT / path).exists(), f"{page.name}: {path}")

    def test_the_make_targets_are_those_of_make_help(self):
        told = subprocess.run(["make", "-s", "-C", str(ROOT), "--no-print-directory", "help"],
                              env={**os.environ, "MAKEFLAGS": ""}, stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        shown = README[README.index("`make help` prints them:"):].split("```")[1]
        self.assertEqual([line.split() for line in shown.strip().splitlines()],
                         [line.split() for line in told.strip().splitlines()])
        targets = set(re.findall(r"^ *make ([a-z-]+)", told, re.M))
        self.assertLessEqual(set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.M)), targets)


def main():
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    result = program.result
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or result.testsRun == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
