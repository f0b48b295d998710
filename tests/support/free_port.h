// Ports of 127.0.0.1 for programs that cannot find one themselves.

#ifndef GUB_TESTS_SUPPORT_FREE_PORT_H_
#define GUB_TESTS_SUPPORT_FREE_PORT_H_

namespace gub {

// One that nobody listens on now.
int FreePort();

// Whether somebody takes connections there.
bool IsListening(int port);

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_FREE_PORT_H_
