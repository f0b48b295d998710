"""The clients of the matrix: one row each, with what it needs and how its driver is run.

A driver gets HOST PORT PASSWORD_PORT PASSWORD, and prints `version X` and, for each check,
`name ok` or `name FAIL reason`. Debian's clients are installed already; the others are installed
into a work folder of their own, from the manifest of their name, which pins their versions.
"""

import dataclasses

PYTHON = "/usr/bin/python3"  # the one that Debian's python3-redis belongs to
CHECKS = ("connect-resp2", "connect-resp3", "hit", "pipeline", "transaction", "auth",
          "error-reply", "binary-key", "concurrent")
NO_RESP3 = ("connect-resp3",)


@dataclasses.dataclass(frozen=True)
class Client:
    name: str
    drivers: tuple          # files of drivers/ that are copied to its work folder; the first runs
    run: tuple              # the command that runs it, there
    packages: str = ""      # the Debian packages that have it; empty for the extra set
    probe: tuple = ()       # exits with 0 when those packages are installed
    manifest: str = ""      # its folder of manifests/
    install: tuple = ()     # commands that need a package registry
    build: tuple = ()       # commands that do not
    lacks: tuple = ()       # checks of things that it does not have

    @property
    def is_extra(self):
        return not self.packages


def debian_clients():
    return (
        Client("redis-cli", ("redis_cli.py", "check.py"), (PYTHON, "redis_cli.py"),
               packages="redis-tools", probe=("redis-cli", "--version")),
        Client("redis-benchmark", ("redis_benchmark.py", "check.py"),
               (PYTHON, "redis_benchmark.py"),
               packages="redis-tools", probe=("redis-benchmark", "--version"),
               lacks=("transaction", "binary-key")),
        Client("hiredis", ("hiredis.c",), ("./hiredis",),
               packages="libhiredis-dev",
               probe=("sh", "-c", "echo '#include <hiredis/hiredis.h>' | cc -E - >/dev/null"),
               build=(("cc", "-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-pthread",
                       "-o", "hiredis", "hiredis.c", "-lhiredis"),),
               lacks=NO_RESP3),
        Client("redis-py", ("redis_py.py", "check.py"), (PYTHON, "redis_py.py"),
               packages="python3-redis", probe=(PYTHON, "-c", "import redis"), lacks=NO_RESP3),
        Client("redis-py asyncio", ("redis_py_asyncio.py", "check.py"),
               (PYTHON, "redis_py_asyncio.py"),
               packages="python3-redis", probe=(PYTHON, "-c", "import redis.asyncio"),
               lacks=NO_RESP3),
        Client("Perl Redis", ("perl_redis.pl",), ("perl", "perl_redis.pl"),
               packages="libredis-perl", probe=("perl", "-MRedis", "-e", "1"), lacks=NO_RESP3),
        Client("redis-rb", ("ruby_redis.rb",), ("ruby", "ruby_redis.rb"),
               packages="ruby-redis", probe=("ruby", "-e", "require 'redis'"), lacks=NO_RESP3),
        Client("phpredis", ("php_redis.php",), ("php", "php_redis.php"),
               packages="php-cli and php-redis",
               probe=("php", "-r", "exit(extension_loaded('redis') ? 0 : 1);"), lacks=NO_RESP3),
    )


def python_clients():
    for major in ("5", "8"):
        for kind, driver in (("", "redis_py.py"), (" asyncio", "redis_py_asyncio.py")):
            yield Client(f"redis-py {major}{kind}", (driver, "check.py"),
                         ("venv/bin/python", driver), manifest=f"redis-py-{major}",
                         install=((PYTHON, "-m", "venv", "venv"),
                                  ("venv/bin/pip", "install", "--quiet", "--no-cache-dir", "-r",
                                   "requirements.txt")))


def node_clients():
    for library, majors in (("ioredis", ("5", "6")), ("node-redis", ("4", "5", "6"))):
        driver = library.replace("-", "_") + ".mjs"
        for major in majors:
            yield Client(f"{library} {major}", (driver, "check.mjs"), ("node", driver),
                         manifest=f"{library}-{major}",
                         install=(("npm", "install", "--loglevel=error", "--ignore-scripts",
                                   "--no-package-lock", "--no-audit", "--no-fund"),),
                         lacks=NO_RESP3 if f"{library} {major}" in ("ioredis 5", "node-redis 4")
                         else ())


def java_client(name, manifest, driver):
    maven = ("mvn", "--quiet", "--batch-mode", "-Dmaven.repo.local=../downloads/maven")
    sources = (f"{driver}.java", "Check.java")
    return Client(name, sources, ("java", "-cp", "jars/*:classes", driver),
                  manifest=manifest,
                  install=((*maven, "dependency:copy-dependencies", "-DoutputDirectory=jars"),),
                  build=(("javac", "-cp", "jars/*", "-d", "classes", *sources),))


def extra_clients():
    return (
        *python_clients(),
        *node_clients(),
        Client("go-redis 9", ("go_redis.go",), ("./go_redis",), manifest="go-redis-9",
               install=(("go", "mod", "download", "-modcacherw"),),
               build=(("go", "build", "-o", "go_redis", "go_redis.go"),)),
        java_client("Jedis 8", "jedis-8", "JedisDriver"),
        java_client("Lettuce 7", "lettuce-7", "LettuceDriver"),
        Client("redis-rs 1", ("redis_rs.rs",), ("target/debug/redis_rs",), manifest="redis-rs-1",
               install=(("cargo", "fetch", "--quiet"),),
               build=(("cargo", "build", "--quiet", "--offline"),)),
    )
