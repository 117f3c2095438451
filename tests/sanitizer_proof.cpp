// SPDX-License-Identifier: BSL-1.0
// Does what the sanitizers forbid: proves that they are in the binaries of this build.
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  const auto runtime = static_cast<std::size_t>(argc);
  if (argc == 2 && std::string_view(argv[1]) == "address") {
    const std::vector<int> items(runtime);
    return items.data()[runtime];  // one past the end
  }
  const int sum = std::numeric_limits<int>::max() + argc;
  std::printf("%d\n", sum);
  return 0;
}
