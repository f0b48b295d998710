"""redis-cli, which reads commands from its stdin: redis_cli.py HOST PORT PASSWORD_PORT PASSWORD"""

import os
import subprocess

from check import (
    ALL_BYTES, ARITY_ERROR, HOST, LIMIT_ERROR, NAME, OTHER_BYTES, PASSWORD, PASSWORD_PORT, PORT,
    WRONGPASS, admitted, equal, first_hits, matches, report, reset_within)

TIMEOUT = 60
RECIPE = """
# recipe
redis-cli -h "$host" -p "$port" GUB.HIT logins user:42 1 5 1h
# end of recipe
"""


def start(*arguments, port=PORT):
    return subprocess.Popen(
        ["redis-cli", "-h", HOST, "-p", str(port), *arguments], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def cli(lines, *arguments, port=PORT):
    """What redis-cli prints for these commands, without empty lines."""
    process = start(*arguments, port=port)
    try:
        output, _ = process.communicate("".join(line + "\n" for line in lines), timeout=TIMEOUT)
    finally:
        process.kill()  # for one that did not end; no effect on the others
    return [line for line in output.splitlines() if line]


def hit(key, hits, limit, *options):
    return " ".join(["GUB.HIT", NAME, key, str(hits), str(limit), "60s", *options])


def triples(lines):
    numbers = [int(line) for line in lines]
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)]


def quoted(key):
    return '"' + "".join(f"\\x{byte:02x}" for byte in key) + '"'


def recipe():
    done = subprocess.run(["sh", "-c", RECIPE], env={**os.environ, "host": HOST, "port": str(PORT)},
                          capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return done.stdout.splitlines()


def connect_resp2():
    equal(cli(["PING"]), ["PONG"])
    lines = cli([hit("connect", 0, 10, "FULL")], "--no-raw")
    equal([" ".join(line.split()) for line in lines[:2]], ['1) "status"', "2) (integer) 0"])


def connect_resp3():
    equal(cli(["PING"], "-3"), ["PONG"])
    lines = cli([hit("connect", 0, 10, "FULL")], "-3", "--no-raw")
    equal(lines[0], '1# "status" => (integer) 0')  # 1# is how it shows a map
    equal(cli(["HELLO"], "-3", "--no-raw")[2], '3# "proto" => (integer) 3')


def three_hits():
    replies = triples(cli([hit("hit", 1, 10)] * 3))
    equal(len(replies), 3)
    first_hits(replies, 10)
    for reply in replies:
        reset_within(reply, 61)
    equal(triples(cli([hit("hit", 100, 10)]))[0][:2], [1, 7])
    equal(recipe()[:2], ["0", "4"])


def pipeline():
    """--pipe does not await replies, and tells only how many there were. Lines do, one by one."""
    words = hit("pipe", 1, 600).split()
    command = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    equal(cli([(command * 1000)[:-1]], "--pipe")[-1], "errors: 0, replies: 1000")
    equal(triples(cli([hit("pipe", 0, 1000)]))[0][:2], [0, 400])  # it used 600 of 1000
    replies = triples(cli([hit("pipeline", 1, 600)] * 1000))
    equal(len(replies), 1000)
    first_hits(replies, 600)


def transaction():
    lines = cli(["MULTI"] + [hit("transaction", 1, 10)] * 3 + ["EXEC"])
    equal(lines[:4], ["OK", "QUEUED", "QUEUED", "QUEUED"])
    equal(len(lines), 4 + 9)
    first_hits(triples(lines[4:]), 10)
    lines = cli(["MULTI", hit("transaction", 1, 10), "GUB.HIT " + NAME, "EXEC",
                 hit("transaction", 0, 10)])
    equal(lines[:4], ["OK", "QUEUED", "ERR " + ARITY_ERROR,
                      "EXECABORT Transaction discarded because of previous errors."])
    equal(triples(lines[4:])[0][:2], [0, 7])


def auth():
    command = [hit("auth", 1, 10)]
    matches(cli(command, port=PASSWORD_PORT), "NOAUTH Authentication required")
    wrong = cli(command, "--no-auth-warning", "-a", "wrong", port=PASSWORD_PORT)
    matches(wrong[0], "WRONGPASS " + WRONGPASS)
    right = cli(command, "--no-auth-warning", "-a", PASSWORD, port=PASSWORD_PORT)
    user = cli(command, "--no-auth-warning", "--user", "default", "--pass", PASSWORD, "-3",
               port=PASSWORD_PORT)
    first_hits(triples(right + user), 10)


def error_reply():
    equal(cli(["GUB.HIT n k 1 -1 1s", "PING"]), ["ERR " + LIMIT_ERROR, "PONG"])


def binary_key():
    replies = triples(cli([hit(quoted(ALL_BYTES), 1, 10)] * 2))
    first_hits(replies, 10)
    first_hits(triples(cli([hit(quoted(OTHER_BYTES), 1, 10)])), 10)


def concurrent():
    """Fifty processes with twenty hits each."""
    processes = [start() for _ in range(50)]
    try:
        for process in processes:
            process.stdin.write((hit("concurrent", 1, 500) + "\n") * 20)
            process.stdin.close()
            process.stdin = None
        outputs = [process.communicate(timeout=TIMEOUT)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    replies = triples("".join(outputs).split())
    equal([len(replies), admitted(replies)], [1000, 500])


def main():
    print("version", cli([], "--version")[0].split()[1])
    report("connect-resp2", connect_resp2)
    report("connect-resp3", connect_resp3)
    report("hit", three_hits)
    report("pipeline", pipeline)
    report("transaction", transaction)
    report("auth", auth)
    report("error-reply", error_reply)
    report("binary-key", binary_key)
    report("concurrent", concurrent)


if __name__ == "__main__":
    main()
