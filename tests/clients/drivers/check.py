"""What the drivers in Python share: the arguments, and running checks with a line for each."""

import re
import sys
import time

HOST = sys.argv[1]
PORT = int(sys.argv[2])
PASSWORD_PORT = int(sys.argv[3])
PASSWORD = sys.argv[4]

NAME = "requests_per_sec"
ALL_BYTES = bytes(range(256))
OTHER_BYTES = ALL_BYTES[:-1] + b"\xfe"
LIMIT_ERROR = "limit must not be negative"
ARITY_ERROR = "wrong number of arguments for 'gub.hit' command"
NOAUTH = "Authentication required|HELLO must be called with the client already authenticated"
WRONGPASS = "invalid username-password pair or user is disabled"


def report(name, check):
    """Runs a check, which throws when it fails, and prints its line."""
    try:
        check()
        print(name, "ok", flush=True)
    except Exception as error:  # whatever it was is the reason
        print_failure(name, error)


async def report_async(name, check):
    """The same for a coroutine function."""
    try:
        await check()
        print(name, "ok", flush=True)
    except Exception as error:
        print_failure(name, error)


def print_failure(name, error):
    print(name, "FAIL", " ".join(f"{type(error).__name__}: {error}".split()), flush=True)


def equal(got, want):
    if got != want:
        raise AssertionError(f"got {str(got)[:300]}, not {str(want)[:300]}")


def matches(error, text):
    if re.search(text, str(error)) is None:
        raise AssertionError(f"the error is '{error}', not '{text}'")


def first_hits(replies, limit):
    """That these answer the first hits on a key: admitted in order up to the limit, then denied."""
    want = [[0, limit - 1 - i] if i < limit else [1, 0] for i in range(len(replies))]
    equal([list(reply[:2]) for reply in replies], want)


def reset_within(reply, seconds):
    now = time.time() * 1000
    if not now < reply[2] <= now + seconds * 1000:
        raise AssertionError(f"the reset is {reply[2]}, and now is {now:.0f}")


def admitted(replies):
    return sum(reply[0] == 0 for reply in replies)
