// Metrics: what /metrics answers, in Prometheus' text format 0.0.4.
//
// One list (metrics.cc) names and explains them. Labels are commands, HTTP paths, members of the
// cluster, workers and words of ours; never a name or a key, so that the number of series does not
// grow with them.
//
// Threads:  any.

#ifndef GUB_COMMAND_METRICS_H_
#define GUB_COMMAND_METRICS_H_

#include <string>

#include "command/node.h"

namespace gub {

std::string MetricsText(const Node& node);

}  // namespace gub

#endif  // GUB_COMMAND_METRICS_H_
