#include "net/interfaces.h"

#include <algorithm>
#include <array>
#include <utility>

#include "uv.h"

namespace gub {

std::vector<std::string> InterfaceAddresses() {
  uv_interface_address_t* list = nullptr;
  int count = 0;
  if (uv_interface_addresses(&list, &count) != 0) return {};
  std::vector<std::pair<int, std::string>> ranked;
  for (int i = 0; i < count; ++i) {
    const uv_interface_address_t& interface = list[i];
    std::array<char, 64> text{};
    const bool is_v6 = interface.address.address4.sin_family == AF_INET6;
    const int status = is_v6 ? uv_ip6_name(&interface.address.address6, text.data(), text.size())
                             : uv_ip4_name(&interface.address.address4, text.data(), text.size());
    const int rank = (interface.is_internal != 0 ? 2 : 0) + (is_v6 ? 1 : 0);
    if (status == 0) ranked.emplace_back(rank, text.data());
  }
  uv_free_interface_addresses(list, count);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> addresses;
  for (auto& [rank, address] : ranked) addresses.push_back(std::move(address));
  return addresses;
}

}  // namespace gub
