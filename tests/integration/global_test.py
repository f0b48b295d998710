#!/usr/bin/python3
"""GLOBAL limits on a real cluster: global_test.py PATH_OF_GUB_SERVER"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import nodes  # pylint: disable=wrong-import-position
from global_cluster import OVER, UNDER, Cluster, hit_words  # pylint: disable=wrong-import-position

SERVER = str(pathlib.Path(sys.argv.pop(1)).resolve())


class FiveNodesTest(unittest.TestCase):
    """Each test has keys of its own."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.addClassCleanup, SERVER, 5, threads=1)

    def test_hammered_on_all_nodes_a_limit_is_admitted_and_no_more(self):
        for limit, seconds in ((1, 0.5), (3, 0.5), (5, 0.5), (100, 0.7), (5000, 2)):
            for words in (("token", "GLOBAL"), ("leaky", "GLOBAL")):
                with self.subTest(limit=limit, words=words):
                    key = f"hammered{limit}{words[0]}"
                    admitted = sum(self.cluster.hammer(
                        lambda place, key=key, limit=limit, words=words:
                        hit_words(key, limit, *words), seconds))
                    # What a leaky one drains meanwhile.
                    drained = int(limit * (seconds + 2) / 3600) + 1 if words[0] == "leaky" else 0
                    self.assertLessEqual(admitted, limit + drained)
                    self.assertGreaterEqual(admitted, limit if limit < 100 else limit * 0.99)
        self.assertGreater(self.cluster.sum("lease_local_answers"), 1000)
        self.assertEqual(self.cluster.sum("lease_bad_frames"), 0)

    def test_mixed_with_hits_that_are_not_global_it_stays_exact(self):
        cluster = self.cluster
        for limit in (5, 300, 3000):
            key = f"mixed{limit}"
            plain = cluster.others(key)[0]
            admitted = cluster.hammer(
                lambda place, key=key, limit=limit, plain=plain: hit_words(
                    key, limit, "token",
                    "BATCHING" if place in (plain, cluster.owner_of(key)) else "GLOBAL"), 1.2, 10)
            self.assertLessEqual(sum(admitted), limit, admitted)
            self.assertGreaterEqual(sum(admitted), limit * 0.99, admitted)

    def test_reset_time_is_one_on_all_nodes_and_every_hit_counts(self):
        cluster, key = self.cluster, "rates"
        peers = cluster.others(key)
        first = cluster.hit(peers[0], key, 1, 5, "180000")
        self.assertEqual(first[:2], [UNDER, 4])
        self.assertEqual(cluster.hit(peers[0], key, 2, 5, "180000"), [UNDER, 2, first[2]])
        for peer in peers[1:3]:
            nodes.eventually(lambda peer=peer: cluster.hit(peer, key, 0, 5, "180000")
                             == [UNDER, 2, first[2]], "two are left", 5)
        self.assertEqual(cluster.hit(peers[3], key, 2, 5, "180000"), [UNDER, 0, first[2]])
        self.assertEqual(cluster.hit(cluster.owner_of(key), key, 1, 5, "180000"),
                         [OVER, 0, first[2]])

    def test_by_turns_on_owner_and_another_two_of_two_are_admitted(self):
        cluster, key = self.cluster, "balanced"
        turns = [cluster.owner_of(key), cluster.others(key)[0]]
        statuses = [cluster.hit(turns[i % 2], key, 1, 2)[0] for i in range(11)]
        self.assertEqual(statuses, [UNDER] * 2 + [OVER] * 9)

    def test_a_denial_elsewhere_is_seen_by_a_peek(self):
        cluster, key = self.cluster, "over"
        peer = cluster.others(key)[0]
        statuses = [cluster.hit(peer, key, 1, 2)[0] for _ in range(3)]
        self.assertEqual(statuses, [UNDER, UNDER, OVER])
        for place in range(5):
            nodes.eventually(lambda place=place: cluster.hit(place, key, 0, 2)[:2] == [OVER, 0],
                             "it is over everywhere", 5)

    def test_more_than_there_is_is_admitted_nowhere(self):
        cluster, key = self.cluster, "more"
        statuses = [cluster.hit(place, key, 50, 100, "60000000", "leaky", "GLOBAL")[0]
                    for place in cluster.others(key)]
        self.assertEqual(statuses, [UNDER, UNDER, OVER, OVER])

    def test_refunds_lift_what_is_left_on_all_nodes(self):
        cluster, key = self.cluster, "negative"
        peers = cluster.others(key)
        self.assertEqual(cluster.hit(peers[0], key, -1, 2)[:2], [UNDER, 3])
        self.assertEqual(cluster.hit(peers[1], key, -1, 2)[:2], [UNDER, 4])
        self.assertEqual(cluster.hit(peers[2], key, 4, 2)[:2], [UNDER, 0])
        # Another node hears of what was spent when its holder has reported.
        nodes.eventually(lambda: cluster.hit(peers[3], key, 0, 2)[:2] == [UNDER, 0],
                         "nothing is left", 5)

    def test_hits_anywhere_are_seen_everywhere_within_two_syncs(self):
        cluster = self.cluster
        places = {"owner": lambda key: [cluster.owner_of(key)],
                  "one": lambda key: cluster.others(key)[:1], "all": cluster.others}
        for where, places_of in places.items():
            for hits in (1, 2, 10, 100):
                key = f"seen-{where}-{hits}"
                at = places_of(key)
                for i in range(hits):
                    self.assertEqual(cluster.hit(at[i % len(at)], key, 1, 1000)[0], UNDER)
                cluster.wait_for_left(key, 1000, 1000 - hits)

    def test_a_reset_without_hits_on_another_node_reaches_the_owner(self):
        cluster, key = self.cluster, "reset"
        peers = cluster.others(key)
        for peer in peers:
            cluster.hit(peer, key, 20, 100)
        self.assertEqual(
            cluster.hit(peers[1], key, 0, 100, "1h", "token", "GLOBAL|RESET_REMAINING")[:2],
            [UNDER, 100])
        cluster.wait_for_left(key, 100, 100)

    def test_a_refund_at_zero_reopens_on_all_nodes(self):
        cluster, key = self.cluster, "reopen"
        for place in range(5):
            cluster.hit(place, key, 2, 10)
        for place in range(5):
            self.assertEqual(cluster.hit(place, key, 1, 10)[0], OVER)
        self.assertEqual(cluster.hit(cluster.others(key)[0], key, -5, 10)[0], UNDER)
        for place in range(5):
            nodes.eventually(lambda place=place: cluster.hit(place, key, 1, 10)[0] == UNDER,
                             "it is open again", 5)
        self.assertEqual(cluster.hit(0, key, 1, 10)[0], OVER)

    def test_a_raised_limit_counts_at_once_where_it_was_asked(self):
        cluster, key = self.cluster, "raised"
        peers = cluster.others(key)
        for peer in peers:
            cluster.hit(peer, key, 1, 4)
        self.assertEqual([cluster.hit(peer, key, 1, 4)[0] for peer in peers], [OVER] * 4)
        self.assertEqual(cluster.hit(peers[0], key, 1, 9)[:2], [UNDER, 4])
        for peer in peers[1:]:
            nodes.eventually(lambda peer=peer: cluster.hit(peer, key, 1, 9)[0] == UNDER,
                             "the raised limit", 5)
        cluster.wait_for_left(key, 9, 1)

    def test_a_hit_that_would_fit_waits_until_what_is_lent_has_come_back(self):
        cluster = self.cluster
        for round_, from_owner in enumerate((True, False) * 3):
            key = f"waits{round_}"
            lender, asker = cluster.others(key)[:2]
            batch = cluster.clients[lender].pipeline(transaction=False)
            for _ in range(200):
                batch.execute_command(*hit_words(key, 1000))
            self.assertEqual([reply[0] for reply in batch.execute()], [UNDER] * 200)
            place = cluster.owner_of(key) if from_owner else asker
            self.assertEqual(cluster.hit(place, key, 800, 1000, "1h", "token", "BATCHING")[:2],
                             [UNDER, 0], f"round {round_}")
            self.assertEqual(cluster.hit(lender, key, 1, 1000)[0], OVER)

    def test_operators_can_force_it(self):
        cluster, key = self.cluster, "forced"
        peer = cluster.others(key)[0]
        client = cluster.clients[peer]
        client.config_set("force-global", "x n")
        self.assertEqual(client.config_get("force-global")["force-global"], "x n")
        before = cluster.info(peer, "lease_local_answers")
        for _ in range(200):
            self.assertEqual(cluster.hit(peer, key, 1, 10_000, "1h", "token", "BATCHING")[0], UNDER)
        self.assertGreater(cluster.info(peer, "lease_local_answers"), before + 100)
        cluster.wait_for_left(key, 10_000, 9800)
        client.config_set("force-global", "no")
        forwards = cluster.clients[peer].info("cluster")["forwarded_requests"]
        self.assertEqual(cluster.hit(peer, key, 1, 10_000, "1h", "token", "BATCHING")[1], 9799)
        self.assertEqual(cluster.clients[peer].info("cluster")["forwarded_requests"], forwards + 1)


if __name__ == "__main__":
    sys.exit(nodes.run_tests())
