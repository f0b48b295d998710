#!/usr/bin/python3
"""What can be said of docker/ without docker: docker_test.py PATH_OF_GUB_SERVER

The options that the images and compose.yaml set are a real server's, and the files they name exist.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())
COMPOSE_FILE = ROOT / "docker/compose.yaml"
COMPOSE = yaml.safe_load(COMPOSE_FILE.read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
# What a reader puts in for ${NAME:?why}.
VARIABLE = re.compile(r"\$\{(\w+):\?[^}]*\}")


def instructions(dockerfile):
    """(word, rest) of each, with continued lines in one."""
    text = re.sub(r"^#.*\n", "", dockerfile, flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def all_of(dockerfile, word):
    return [rest for name, rest in instructions(dockerfile) if name == word]


def node_environments():
    """The GUB_OPT_ variables of each node, as the container has them."""
    image = dict(re.findall(r'(GUB_OPT_\w+)="([^"]*)"', " ".join(all_of(DOCKERFILE, "ENV"))))
    for name, service in COMPOSE["services"].items():
        if service.get("image") == "gub":
            yield name, {**image, **{key: VARIABLE.sub("some-word", value)
                                     for key, value in service["environment"].items()}}


def options_of(environment):
    """The options as the server understands an environment; it must take all of it."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("GUB_OPT_")}
    done = subprocess.run(
        [SERVER, ROOT / "conf/gub.conf", "--print-config"], env={**own, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=nodes.DEADLINE_S, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return dict(re.findall(r"^([a-z-]+) (.*)$", done.stdout, re.M))


class ComposeTest(unittest.TestCase):
    def test_there_are_three_nodes_and_an_etcd(self):
        self.assertEqual(sorted(COMPOSE["services"]), ["etcd", "node-1", "node-2", "node-3"])
        self.assertEqual(len(list(node_environments())), 3)

    def test_every_option_is_one_of_the_servers(self):
        for name, environment in node_environments():
            options = options_of(environment)
            for variable, value in environment.items():
                option = variable[len("GUB_OPT_"):].lower().replace("_", "-")
                self.assertEqual(options[option], value, name)
            self.assertEqual(options["advertise"], f"{name}:7379")
            self.assertEqual(options["port"], "7379")
        with self.assertRaisesRegex(AssertionError, "unknown option 'prot'"):
            options_of({"GUB_OPT_PROT": "1"})

    def test_a_node_starts_so_and_is_healthy_to_its_check(self):
        check = re.search(r'CMD (\["redis-cli".*\])', " ".join(all_of(DOCKERFILE, "HEALTHCHECK")))
        for name, environment in node_environments():
            port = nodes.free_ports(1)
            node = nodes.Program([SERVER, "--port", port, "--http-port", 0, "--bind", nodes.HOST, "--max-keys", 1000,
                                  "--etcd-endpoints", f"{nodes.HOST}:1"], environment={
                                      key: value for key, value in environment.items()
                                      if key not in ("GUB_OPT_BIND", "GUB_OPT_ETCD_ENDPOINTS")})
            self.addCleanup(node.stop)
            node.wait_for_log(" ready ")
            command = [str(port) if word == "7379" else word
                       for word in yaml.safe_load(check.group(1))]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=nodes.DEADLINE_S)
            self.assertEqual(node.stop(), 0, name)

    def test_ports_of_the_machine_are_for_the_machine_only(self):
        taken = [port for service in COMPOSE["services"].values()
                 for port in service.get("ports", [])]
        self.assertEqual(taken, [f"127.0.0.1:{port + apart}:{inside}" for port in (7379, 7380, 7381)
                                 for apart, inside in ((0, 7379), (10, 7380))])

    def test_the_files_it_names_exist(self):
        for service in COMPOSE["services"].values():
            context = COMPOSE_FILE.parent / service["build"]["context"]
            self.assertTrue(context.is_dir())
            if "dockerfile" in service["build"]:
                self.assertTrue((context / service["build"]["dockerfile"]).is_file())

    def test_etcd_knows_its_arguments(self):
        service = COMPOSE["services"]["etcd"]
        entry = all_of(service["build"]["dockerfile_inline"], "ENTRYPOINT")
        self.assertEqual(entry, ['["etcd"]'])
        # It looks at all arguments before it does what --version asks for.
        subprocess.run(["etcd", *service["command"], "--version"], check=True,
                       stdout=subprocess.DEVNULL, timeout=nodes.DEADLINE_S)


class DockerfileTest(unittest.TestCase):
    def test_what_it_copies_exists_and_is_not_ignored(self):
        kept = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M)
        for path in kept:
            self.assertTrue((ROOT / path).exists(), path)
        for words in map(str.split, all_of(DOCKERFILE, "COPY")):
            if words[0].startswith("--from="):
                continue
            for path in words[:-1]:
                self.assertTrue((ROOT / path).exists(), path)
                self.assertTrue(path == "." or path.split("/")[0] in kept, path)

    def test_the_sections_of_packages_it_asks_for_exist(self):
        text = (ROOT / "tools/packages.txt").read_text(encoding="utf-8")
        runs = map(str.split, all_of(DOCKERFILE, "RUN"))
        wanted = next(words[1:] for words in runs if words[0] == "tools/deps.sh")
        self.assertLessEqual(set(wanted), set(re.findall(r"^# (\w+)", text, re.M)))

    def test_stages_are_debian_and_the_last_one_runs_as_nobody_special(self):
        self.assertEqual([stage.split()[0] for stage in all_of(DOCKERFILE, "FROM")],
                         ["debian:12-slim"] * 2)
        words = [word for word, _ in instructions(DOCKERFILE)]
        self.assertLess(words.index("USER"), words.index("ENTRYPOINT"))
        self.assertEqual(all_of(DOCKERFILE, "USER"), ["gub"])
        options = options_of({})
        self.assertEqual(all_of(DOCKERFILE, "EXPOSE"),
                         [f"{options['port']} {options['http-port']}"])


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
