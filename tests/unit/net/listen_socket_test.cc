#include "net/listen_socket.h"

#include <gtest/gtest.h>

#include <barrier>
#include <string>
#include <thread>
#include <vector>

namespace gub {

namespace {

TEST(ListenSocketTest, AClaimedPortCannotBeClaimedAgainButJoined) {
  const auto first = ListenSocket::Claim("127.0.0.1", 0, 16);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT(first->port(), 0);
  EXPECT_EQ(first->Address(), "127.0.0.1:" + std::to_string(first->port()));

  const auto second = ListenSocket::Claim("127.0.0.1", first->port(), 16);
  EXPECT_TRUE(absl::IsAlreadyExists(second.status())) << second.status();
  EXPECT_EQ(second.status().message(),
            first->Address() + " is taken: another server listens there");

  const auto joined = ListenSocket::Join(*first);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->port(), first->port());
  // Also with several sockets on it the port is taken, under every name that covers it.
  EXPECT_TRUE(absl::IsAlreadyExists(ListenSocket::Claim("127.0.0.1", first->port(), 16).status()));
  EXPECT_TRUE(absl::IsAlreadyExists(ListenSocket::Claim("*", first->port(), 16).status()));
}

TEST(ListenSocketTest, OfManyThatClaimAPortAtTheSameMomentOneGetsIt) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 300; ++round) {
    int port = 0;
    {
      const auto free = ListenSocket::Claim("127.0.0.1", 0, 16);
      ASSERT_TRUE(free.ok());
      port = free->port();
    }
    std::barrier start(kThreads);
    std::vector<absl::StatusOr<ListenSocket>> claims;
    for (int t = 0; t < kThreads; ++t) claims.emplace_back(absl::UnknownError(""));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        claims[static_cast<size_t>(t)] = ListenSocket::Claim("127.0.0.1", port, 16);
      });
    }
    for (std::thread& thread : threads) thread.join();
    int won = 0;
    for (const auto& claim : claims) won += claim.ok() ? 1 : 0;
    ASSERT_LE(won, 1) << "round " << round;
  }
}

TEST(ListenSocketTest, KnowsTheBacklogAndTheNamesOfAllAddresses) {
  const auto v4 = ListenSocket::Claim("*", 0, 77);
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4->backlog(), 77);
  const auto v6 = ListenSocket::Claim("::*", 0, 77);
  EXPECT_TRUE(v6.ok() || absl::IsUnavailable(v6.status())) << v6.status();
}

TEST(ListenSocketTest, APortIsFreeAgainWhenItsSocketsAreGone) {
  int port = 0;
  {
    const auto socket = ListenSocket::Claim("127.0.0.1", 0, 16);
    ASSERT_TRUE(socket.ok());
    port = socket->port();
  }
  EXPECT_TRUE(ListenSocket::Claim("127.0.0.1", port, 16).ok());
}

TEST(ListenSocketTest, SaysWhichAddressItCannotUse) {
  const auto no_address = ListenSocket::Claim("localhost", 0, 16);
  EXPECT_TRUE(absl::IsInvalidArgument(no_address.status()));
  EXPECT_EQ(no_address.status().message(), "bind: 'localhost' is not an IPv4 or IPv6 address");
  const auto not_here = ListenSocket::Claim("192.0.2.1", 7379, 16);
  EXPECT_TRUE(absl::IsUnavailable(not_here.status()));
  EXPECT_EQ(not_here.status().message(), "cannot listen on 192.0.2.1:7379: address not available");
}

TEST(ListenSocketTest, PutsBracketsAroundIPv6) {
  EXPECT_EQ(JoinHostPort("::1", 7379), "[::1]:7379");
  EXPECT_EQ(JoinHostPort("10.0.0.7", 7379), "10.0.0.7:7379");
}

}  // namespace
}  // namespace gub
