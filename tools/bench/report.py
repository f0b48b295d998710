"""Medians and ratios of what was measured: one table, and one of the targets.

A ratio is taken round by round, between two rows that were measured one shortly after the other,
and the median of these is shown: what the machine does meanwhile meets both.
"""

import statistics

import global_limits
import many_nodes
import one_node

REFERENCES = (("floor", one_node.PING), ("Lua", one_node.LUA), ("INCR", one_node.INCR))
NUMBERS = (("requests/s", "rate", 0), ("p50 us", "p50", 0), ("p99 us", "p99", 0),
           ("p99.9 us", "p999", 0), ("CPU us", "cpu", 2), ("waited", "waited", 2))


class Results:
    """Samples by (setting, row, pipeline), one a round."""

    def __init__(self):
        self.samples = {}

    def add(self, setting, row, pipeline, sample):
        self.samples.setdefault((setting, row, pipeline), []).append(sample)

    def median(self, setting, row, pipeline, field):
        """None where it was not measured."""
        values = [sample[field] for sample in self.samples.get((setting, row, pipeline), [])
                  if field in sample]
        return statistics.median(values) if values else None

    def ratio(self, upper, lower, field):
        """Of two (setting, row, pipeline), None where one was not measured."""
        pairs = zip(self.samples.get(upper, []), self.samples.get(lower, []))
        values = [a[field] / b[field] for a, b in pairs if field in a and b.get(field)]
        return statistics.median(values) if values else None


def shown(value, decimals):
    return "-" if value is None else f"{value:.{decimals}f}"


def note(results, key):
    def field(name, decimals=2):
        return shown(results.median(*key, name), decimals)
    if results.median(*key, "caller") is not None:
        local = results.ratio(key, (key[0], many_nodes.LOCAL, key[2]), "cpu")
        return (f"CPU us {field('caller')} + {field('owner')} (owner), {shown(local, 2)} times a "
                f"local hit's; batch {field('batch', 1)}, largest so far {field('largest', 0)}")
    if results.median(*key, "answered") is not None:
        own = results.ratio(key, (key[0], global_limits.LOCAL, key[2]), "rate")
        return (f"{shown(own, 2)} times the rate of an own key, {field('answered')} of them by "
                f"leases; {field('frames', 0)} frames/s, {field('bytes', 0)} bytes/s")
    if results.median(*key, "share") is not None:
        return (f"{field('share')} of a processor, all nodes; of leases {field('frames', 0)} "
                f"frames/s, {field('bytes', 0)} bytes/s")
    if results.median(*key, "max") is not None:
        return f"longest {field('max', 0)} us; {field('fallback', 0)} answers by the fallback"
    return ""


def lines_of(table):
    """Columns as wide as their widest cell, the first two to the left."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        cells = [cell.ljust(width) if column < 2 or column == len(row) - 1 else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def main_table(results):
    head = ["setting", "row", "pipeline", *(title for title, _, _ in NUMBERS)]
    for what in ("CPU", "rate"):
        head += [f"{what}/{name}" for name, _ in REFERENCES]
    table = [head + ["note"]]
    for key in results.samples:
        setting, row, pipeline = key
        cells = [setting, row, str(pipeline)]
        cells += [shown(results.median(*key, field), decimals) for _, field, decimals in NUMBERS]
        for field in ("cpu", "rate"):
            cells += [shown(results.ratio(key, (setting, name, pipeline), field), 2)
                      for _, name in REFERENCES]
        table.append(cells + [note(results, key)])
    return list(lines_of(table))


def closed(row, pipeline):
    return (one_node.ONE_THREAD, row, pipeline)


def added_latency(results):
    """What forwarding adds to a local hit, in round trips of a PING."""
    rows = [results.samples.get((many_nodes.IDLE, name, 1), [])
            for name in (many_nodes.FORWARDED, many_nodes.LOCAL, many_nodes.PING)]
    values = [(far["p50"] - near["p50"]) / ping["p50"] for far, near, ping in zip(*rows)]
    return statistics.median(values) if values else None


def targets(results, threads_ratio):
    """(what, measured, "<=" or ">=", target)."""
    hit, many, ping, incr, lua = (one_node.HIT, one_node.HIT_MANY, one_node.PING, one_node.INCR,
                                  one_node.LUA)

    def ratio(field, upper, lower, pipeline):
        return results.ratio(closed(upper, pipeline), closed(lower, pipeline), field)
    killed = results.median(many_nodes.KILLED, many_nodes.FORWARDED, 1, "p99")
    forwarded, local = ((many_nodes.BUSY, name, 16)
                        for name in (many_nodes.FORWARDED, many_nodes.LOCAL))
    return [
        ("CPU of GUB.HIT / Lua token bucket, pipeline 16", ratio("cpu", hit, lua, 16), "<=", 0.16),
        ("CPU of GUB.HIT / Lua token bucket, pipeline 64", ratio("cpu", hit, lua, 64), "<=", 0.08),
        ("CPU of GUB.HIT / INCR, pipeline 1", ratio("cpu", hit, incr, 1), "<=", 0.95),
        ("CPU of GUB.HIT / INCR, pipeline 16", ratio("cpu", hit, incr, 16), "<=", 0.8),
        ("CPU of GUB.HIT / INCR, pipeline 64", ratio("cpu", hit, incr, 64), "<=", 0.55),
        ("requests/s of GUB.HIT / Lua token bucket, pipeline 16", ratio("rate", hit, lua, 16),
         ">=", 5),
        ("requests/s of GUB.HIT / Lua token bucket, pipeline 64", ratio("rate", hit, lua, 64),
         ">=", 11),
        ("requests/s of GUB.HIT / INCR, pipeline 64", ratio("rate", hit, incr, 64), ">=", 1.6),
        ("CPU of GUB.HIT / PING, pipeline 64, 100 k keys", ratio("cpu", hit, ping, 64), "<=", 2.2),
        ("CPU of GUB.HIT / PING, pipeline 64, 1 M keys", ratio("cpu", many, ping, 64), "<=", 3),
        ("p99 of GUB.HIT / INCR, open loop at half of the peak",
         results.ratio((one_node.OPEN, hit, 1), (one_node.OPEN, incr, 1), "p99"), "<=", 1),
        ("decisions/s in process of 2 threads / 1 thread, 1 M keys", threads_ratio, ">=", 1.8),
        ("CPU of a forwarded hit, both nodes / local hit, pipeline 16",
         results.ratio(forwarded, local, "cpu"), "<=", 3),
        ("added p50 of a forwarded hit / PING's p50, idle", added_latency(results), "<=", 1),
        ("requests/s of a GLOBAL key of another node / an own key, pipeline 64",
         results.ratio((global_limits.BUSY, global_limits.GLOBAL, 64),
                       (global_limits.BUSY, global_limits.LOCAL, 64), "rate"), ">=", 0.8),
        ("p99 of 2000 callers a second while the owner is killed, ms",
         None if killed is None else killed / 1000, "<=", 5),
    ]


def verdict(measured, relation, target):
    if measured is None:
        return "not measured"
    missed = measured - target if relation == "<=" else target - measured
    if missed <= 0:
        return "met"
    return f"missed by {missed:.3f} ({100 * missed / target:.1f} %)"


def target_table(results, threads_ratio):
    table = [["target", "", "measured", "asked", "verdict"]]
    for what, measured, relation, target in targets(results, threads_ratio):
        table.append([what, "", shown(measured, 3), f"{relation} {target}",
                      verdict(measured, relation, target)])
    return list(lines_of(table))
