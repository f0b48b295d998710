#include "net/socket_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace gub {
namespace {

SocketAddress Of(const std::string& host) {
  sockaddr_storage storage{};
  if (host.find(':') == std::string::npos) {
    sockaddr_in v4{};
    EXPECT_EQ(uv_ip4_addr(host.c_str(), 7379, &v4), 0) << host;
    std::memcpy(&storage, &v4, sizeof(v4));
  } else {
    sockaddr_in6 v6{};
    EXPECT_EQ(uv_ip6_addr(host.c_str(), 7379, &v6), 0) << host;
    std::memcpy(&storage, &v6, sizeof(v6));
  }
  return SocketAddress(storage);
}

// Protected mode, and peers without a secret, rest on this.
TEST(SocketAddressTest, OnlyThisMachinesOwnNetIsLoopback) {
  for (const std::string host : {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(Of(host).IsLoopback()) << host;
  }
  for (const std::string host : {"126.255.255.255", "128.0.0.1", "0.0.0.0", "10.0.0.127",
                                 "::", "::2", "fe80::1", "::ffff:10.0.0.1", "7f00::1"}) {
    EXPECT_FALSE(Of(host).IsLoopback()) << host;
  }
  EXPECT_FALSE(SocketAddress(sockaddr_storage{}).IsLoopback());
}

TEST(SocketAddressTest, IsWrittenAsHostAndPort) {
  EXPECT_EQ(Of("10.0.0.1").ToString(), "10.0.0.1:7379");
  EXPECT_EQ(Of("::1").ToString(), "[::1]:7379");
  EXPECT_EQ(SocketAddress(sockaddr_storage{}).ToString(), "?:0");
}

}  // namespace
}  // namespace gub
