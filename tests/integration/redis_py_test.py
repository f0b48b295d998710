"""redis-py against a real server: redis_py_test.py PATH_OF_GUB_SERVER"""

import re
import subprocess
import sys
import time
import unittest

import redis

SERVER = sys.argv.pop(1)
NOW_MS = 1700000000000
RESET_MS = NOW_MS + 60000


class Server:
    """A gub-server on a free port, from its ready line to its end by SIGTERM."""

    def __init__(self):
        self.process = subprocess.Popen(
            [SERVER, "--port", "0", "--http-port", "0", "--bind", "127.0.0.1", "--max-keys", "1000",
             "--enable-debug-commands", "yes"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log = ""
        for line in self.process.stderr:
            self.log += line
            if " ready " in line:
                break
        found = re.search(r"listening address=127\.0\.0\.1:(\d+)", self.log)
        if found is None:
            raise RuntimeError("gub-server did not become ready:\n" + self.log)
        self.port = int(found.group(1))

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.process.stderr.close()


class RedisPyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise RuntimeError("gub-server did not stop with status 0")

    def setUp(self):
        self.client = self.connect()
        self.client.execute_command("GUB.DEBUG", "CLOCK", "SET", NOW_MS)
        self.client.flushall()

    def tearDown(self):
        self.client.close()

    def connect(self, **options):
        return redis.Redis(host="127.0.0.1", port=self.server.port, socket_timeout=60, **options)

    def hit(self, target, key="k", hits=1, limit=10):
        return target.execute_command("GUB.HIT", "n", key, hits, limit, 60000)

    def test_a_hit_is_a_list_of_three_integers(self):
        self.assertEqual(self.hit(self.client), [0, 9, RESET_MS])
        self.assertEqual(self.hit(self.client, hits=9), [0, 0, RESET_MS])
        self.assertEqual(self.hit(self.client), [1, 0, RESET_MS])
        self.assertEqual(self.hit(self.client, hits=-2), [0, 2, RESET_MS])

    def test_a_pipeline_is_a_transaction_by_default(self):
        pipeline = self.client.pipeline()
        for _ in range(3):
            self.hit(pipeline)
        self.assertEqual(pipeline.execute(),
                         [[0, 9, RESET_MS], [0, 8, RESET_MS], [0, 7, RESET_MS]])
        self.assertEqual(pipeline.execute(), [])
        self.hit(pipeline)
        self.assertEqual(pipeline.execute(), [[0, 6, RESET_MS]])

    def test_a_pipeline_without_transaction_answers_alike(self):
        with self.client.pipeline(transaction=False) as pipeline:
            for _ in range(1000):
                self.hit(pipeline, limit=990)
            replies = pipeline.execute()
        self.assertEqual(replies, [[0, 989 - i, RESET_MS] for i in range(990)] +
                         [[1, 0, RESET_MS]] * 10)

    def test_an_error_is_a_response_error_without_its_code(self):
        with self.assertRaises(redis.ResponseError) as caught:
            self.hit(self.client, hits="one")
        self.assertEqual(str(caught.exception), "hits is not an integer or out of range")
        with self.assertRaisesRegex(redis.ResponseError, "^unknown command 'GUB.NOPE'"):
            self.client.execute_command("GUB.NOPE", "n")
        self.assertEqual(self.hit(self.client), [0, 9, RESET_MS])

    def test_an_error_of_one_command_of_a_transaction_leaves_the_others(self):
        pipeline = self.client.pipeline()
        self.hit(pipeline)
        self.hit(pipeline, limit=-1)
        self.hit(pipeline)
        replies = pipeline.execute(raise_on_error=False)
        self.assertEqual([replies[0], replies[2]], [[0, 9, RESET_MS], [0, 8, RESET_MS]])
        self.assertIsInstance(replies[1], redis.ResponseError)

    def test_what_cannot_be_queued_aborts_the_transaction(self):
        pipeline = self.client.pipeline()
        self.hit(pipeline)
        pipeline.execute_command("GUB.NOPE")
        with self.assertRaisesRegex(redis.ResponseError, "unknown command 'GUB.NOPE'"):
            pipeline.execute()
        self.assertEqual(self.hit(self.client, hits=0), [0, 10, RESET_MS])

    def test_the_options_of_a_connection_are_accepted(self):
        client = self.connect(client_name="worker-1", db=0, decode_responses=True,
                              health_check_interval=1, socket_keepalive=True)
        self.assertEqual(client.client_getname(), "worker-1")
        self.assertTrue(client.client_setname("worker-2"))
        self.assertEqual(client.client_getname(), "worker-2")
        self.assertIsInstance(client.client_id(), int)
        self.assertEqual(client.echo("ä"), "ä")
        client.close()

    def test_another_database_is_refused(self):
        with self.assertRaisesRegex(redis.ResponseError, "DB index is out of range"):
            self.connect(db=1).ping()

    def test_the_usual_questions_are_answered(self):
        self.assertTrue(self.client.ping())
        self.hit(self.client)
        self.assertEqual(self.client.dbsize(), 1)
        self.assertEqual(self.client.info()["redis_version"], "7.2.0")
        self.assertEqual(self.client.info("gub")["live_keys"], 1)
        self.assertEqual(self.client.config_get("max-keys"), {"max-keys": "1000"})
        self.assertLess(abs(self.client.time()[0] - time.time()), 60)
        self.assertGreater(self.client.command_count(), 10)
        self.assertEqual(self.client.command()["gub.hit"]["first_key_pos"], 2)
        self.assertTrue(self.client.flushall(asynchronous=True))
        self.assertEqual(self.client.dbsize(), 0)

    def test_full_is_a_flat_list_of_names_and_values(self):
        reply = self.client.execute_command("GUB.HIT", "n", "k", 11, 10, "1m", "FULL")
        self.assertEqual(dict(zip(reply[::2], reply[1::2])),
                         {b"status": 1, b"limit": 10, b"remaining": 10, b"reset": RESET_MS,
                          b"retry_after": -1, b"degraded": 0,
                          b"owner": b"127.0.0.1:%d" % self.server.port})

    def test_keys_of_any_bytes_are_told_apart(self):
        for key in (b"\x00", b"\x00\x00", b"\xff", b"\r\n", "ä".encode(), b" "):
            self.assertEqual(self.hit(self.client, key=key), [0, 9, RESET_MS])


def main():
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(RedisPyTest)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
