// The options of the cluster, rows of the one table in option_table.cc; nobody else includes this.

#ifndef GUB_BASE_CLUSTER_OPTIONS_H_
#define GUB_BASE_CLUSTER_OPTIONS_H_

#include "base/config.h"

namespace gub {

inline constexpr OptionRow kClusterRows[] = {
    {
        .name = "cluster-enabled",
        .field = &Config::cluster_enabled,
        .type = OptionType::kBoolean,
        .default_text = "no",
        .group = "cluster",
        .text = "Whether this node is one of several. They share the keys out among themselves: "
                "each key has one owner, which decides for it, and any node takes any command and "
                "asks the owner. All nodes must come to the same members, by whatever `discovery`, "
                "and have the same cluster-secret.",
    },
    {
        .name = "advertise",
        .field = &Config::advertise,
        .type = OptionType::kText,
        .default_text = "",
        .may_be_empty = true,
        .group = "cluster",
        .text = "Address by which the other nodes reach this one. A name or an address, IPv6 in "
                "[brackets] where a port follows; without a port it has that of `port`. Empty "
                "takes the first address of `bind`, or where that stands for every address of the "
                "machine, the first of its interfaces. Where the list of members has another name "
                "of this node, that counts: a node knows itself by its addresses, by what a name "
                "resolves to, and by asking.",
    },
    {
        .name = "discovery",
        .field = &Config::discovery,
        .type = OptionType::kWord,
        .default_text = "static",
        .words = "static|file|dns|etcd",
        .group = "cluster",
        .text = "How this node learns who the members are. static: `peers` names them. file: "
                "discovery-file does, and is read again when it changes. dns: the names of "
                "discovery-dns resolve to them. etcd: every node registers itself there. When it "
                "fails, or names nobody, the last list stays in use.",
    },
    {
        .name = "peers",
        .field = &Config::peers,
        .type = OptionType::kTextList,
        .default_text = "",
        .may_be_empty = true,
        .group = "cluster",
        .text = "Members of the cluster, for discovery static. Each is host:port, with IPv6 in "
                "[brackets]; spaces or commas separate them. One without a port has that of "
                "`port`. host:port*3 gives a member three times the share of the keys of others; "
                "the weight is at most 1000. All nodes must have the same list, each may be in "
                "its own.",
    },
    {
        .name = "discovery-file",
        .field = &Config::discovery_file,
        .type = OptionType::kText,
        .default_text = "",
        .may_be_empty = true,
        .group = "cluster",
        .text = "File that names the members, for discovery file. It holds what `peers` would, on "
                "one line or several; what follows a # is a comment. A change is seen within about "
                "a second. Replace the file in one step, by renaming a new one; a file that cannot "
                "be read changes nothing.",
    },
    {
        .name = "discovery-dns",
        .field = &Config::discovery_dns,
        .type = OptionType::kTextList,
        .default_text = "",
        .may_be_empty = true,
        .group = "cluster",
        .text = "Names that stand for the members, for discovery dns. A name, with or without a "
                "port, such as gub.example.org:7379 stands for a member at each of its IPv4 and "
                "IPv6 addresses; srv:_gub._tcp.example.org for one at each of its SRV records, "
                "with the record's port and weight. Spaces separate several. They are asked for "
                "again when their TTL ends, after 1 to 60 seconds.",
    },
    {
        .name = "discovery-dns-server",
        .field = &Config::discovery_dns_server,
        .type = OptionType::kText,
        .default_text = "",
        .may_be_empty = true,
        .group = "cluster",
        .text = "Name server for discovery dns; empty: the system's. It is an address, with a port "
                "or without, such as 10.0.0.2:53. Name one when the machine's own does not know "
                "the members; /etc/hosts is read all the same.",
    },
    {
        .name = "etcd-endpoints",
        .field = &Config::etcd_endpoints,
        .type = OptionType::kTextList,
        .default_text = "127.0.0.1:2379",
        .group = "cluster",
        .text = "Where etcd listens, for discovery etcd. Each is host:port or a URL that starts "
                "with http:// or https://. Several of one etcd cluster are separated by spaces and "
                "tried in turn. It must be etcd 3.4 or later, with its JSON gateway, which is on "
                "unless it was turned off.",
    },
    {
        .name = "etcd-prefix",
        .field = &Config::etcd_prefix,
        .type = OptionType::kText,
        .default_text = "/gub/members/",
        .group = "cluster",
        .text = "Where in etcd the members are, for discovery etcd. Each has a key that is this "
                "and its address. Clusters that share one etcd must have different ones. A "
                "missing / at the end is added.",
    },
    {
        .name = "etcd-lease-s",
        .field = &Config::etcd_lease_s,
        .type = OptionType::kInteger,
        .unit = "s",
        .default_text = "10",
        .min = 2,
        .max = 3600,
        .group = "cluster",
        .text = "How long etcd keeps the entry of a node that is gone. A node that lives renews "
                "its entry three times in it. Lower it to lose dead nodes sooner; raise it where "
                "nodes or etcd stall for seconds and then go on.",
    },
    {
        .name = "cluster-secret",
        .field = &Config::cluster_secret,
        .type = OptionType::kSecret,
        .default_text = "",
        .group = "cluster",
        .text = "Secret by which nodes know each other; empty: none. It must be the same on all. "
                "It is never sent: in a handshake each side proves that it has it. Without one, "
                "only connections from this machine are taken for peers. It stands in no log and "
                "no CONFIG GET.",
    },
    {
        .name = "peer-timeout-ms",
        .field = &Config::peer_timeout_ms,
        .type = OptionType::kInteger,
        .unit = "ms",
        .default_text = "100",
        .min = 1,
        .max = 60'000,
        .reloadable = true,
        .group = "cluster",
        .text = "Time within which a key's owner must answer. After it the answer is by "
                "on-owner-failure, though the hit may have counted. Set it well above the round "
                "trip between the nodes: clients wait for so long when an owner dies, until the "
                "link to it is known to be down.",
    },
    {
        .name = "batch-wait-us",
        .field = &Config::batch_wait_us,
        .type = OptionType::kInteger,
        .unit = "us",
        .default_text = "500",
        .min = 0,
        .max = 1'000'000,
        .reloadable = true,
        .group = "cluster",
        .text = "Most that a request waits for others to go with. Requests for one peer are "
                "gathered while a batch is on its way to it, and one write then carries many. On "
                "an idle link nothing waits, nor does what is marked NO_BATCHING.",
    },
    {
        .name = "batch-limit",
        .field = &Config::batch_limit,
        .type = OptionType::kInteger,
        .default_text = "1000",
        .min = 1,
        .max = 10'000,
        .reloadable = true,
        .group = "cluster",
        .text = "Most requests that go to a peer in one batch. A batch that has as many leaves at "
                "once, before batch-wait-us has passed. Lower it where the owner's other clients "
                "must not wait behind a long batch.",
    },
    {
        .name = "on-owner-failure",
        .field = &Config::on_owner_failure,
        .type = OptionType::kWord,
        .default_text = "local",
        .words = "local|open|closed|error",
        .reloadable = true,
        .group = "cluster",
        .text = "What is answered when a key's owner is out of reach. local: a stand-in bucket on "
                "this node decides, so that for a while each node admits up to the limit. open: "
                "every hit is admitted. closed: every hit is denied. error: OWNERDOWN. With ONFAIL "
                "a request of GUB.HIT chooses for itself.",
    },
    {
        .name = "cluster-redirect",
        .field = &Config::cluster_redirect,
        .type = OptionType::kBoolean,
        .default_text = "no",
        .reloadable = true,
        .group = "cluster",
        .text =
            "Whether clients are sent to a key's owner by MOVED. Otherwise this node asks the "
            "owner and hands its answer on, which every client understands. Turn it on only "
            "when all clients are cluster clients; it saves them the way through a second node.",
    },
    {
        .name = "leave-grace-ms",
        .field = &Config::leave_grace_ms,
        .type = OptionType::kInteger,
        .unit = "ms",
        .default_text = "30000",
        .min = 0,
        .max = 3'600'000,
        .reloadable = true,
        .group = "cluster",
        .text = "How long a member stays that discovery has lost. That is one which still answers; "
                "a member that does not answer, or says that it leaves, goes at once. It keeps a "
                "discovery that forgets members for a moment from moving their keys away and "
                "back, at which their buckets would start afresh.",
    },
    {
        .name = "global-sync-ms",
        .field = &Config::global_sync_ms,
        .type = OptionType::kInteger,
        .unit = "ms",
        .default_text = "100",
        .min = 10,
        .max = 60'000,
        .reloadable = true,
        .group = "cluster",
        .text = "How often nodes tell each other what became of GLOBAL limits. What the owner of a "
                "key lends lasts for three of these intervals, and is about what a node admits in "
                "two. Shorter ones show hits to the other nodes sooner, and cost more messages. "
                "All nodes should have the same.",
    },
    {
        .name = "global-max-leases",
        .field = &Config::global_max_leases,
        .type = OptionType::kInteger,
        .default_text = "100000",
        .min = 0,
        .max = 100'000'000,
        .group = "cluster",
        .text = "Most leases of GLOBAL limits that are given, and held. A hit that finds no room "
                "for one is forwarded to the owner, as without GLOBAL. A lease is "
                "for one key and one worker of another node, and is forgotten a second or two "
                "after its last hit. One that is given takes about 500 bytes, one that is held "
                "about 700, and its name and key.",
    },
    {
        .name = "force-global",
        .field = &Config::force_global,
        .type = OptionType::kTextList,
        .default_text = "no",
        .reloadable = true,
        .group = "cluster",
        .text = "Which limits are GLOBAL without their clients saying so. no: none. yes: all. "
                "Otherwise the names of limits, separated by spaces. It counts on the node that a "
                "client asks, so all nodes should have the same.",
    },
};

}  // namespace gub

#endif  // GUB_BASE_CLUSTER_OPTIONS_H_
