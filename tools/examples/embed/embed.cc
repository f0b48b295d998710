// Three logins a minute for each user, decided within this program.

#include <gub/limiter.h>

#include <cstdio>
#include <string>

int main() {
  std::string error;
  const auto limiter = gub::Limiter::Create({.max_keys = 10'000}, &error);
  if (limiter == nullptr) {
    std::fprintf(stderr, "no limiter: %s\n", error.c_str());
    return 1;
  }
  for (int attempt = 1; attempt <= 4; ++attempt) {
    const gub::Decision decision = limiter->Decide(
        {.name = "logins", .key = "user:42", .limit = 3, .period = gub::Period::Ms(60'000)});
    if (decision.error != gub::Error::kNone) {
      std::fprintf(stderr, "not decided: %s\n", gub::ErrorText(decision.error));
      return 1;
    }
    const bool admitted = decision.status == gub::LimitStatus::kUnder;
    std::printf("attempt %d: %s, %lld remaining\n", attempt, admitted ? "admitted" : "denied",
                static_cast<long long>(decision.remaining));
  }
}
