#include "command/context.h"

#include "cluster/router.h"

namespace gub {

const std::string& CommandContext::OwnAddress() const {
  return worker_->router == nullptr ? worker_->node->address : worker_->router->view().address;
}

}  // namespace gub
