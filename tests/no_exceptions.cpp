// SPDX-License-Identifier: BSL-1.0
// Built with -fno-exceptions.
#include <stagecut/stagecut.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
  std::signal(SIGABRT, [](int) { std::_Exit(3); });  // an orderly end, for the test's sake
  const std::vector<double> seconds{0.4, 1.1, 1.1, 1.1, 1.1, 2.7};
  const auto best = stagecut::minimize_bottleneck(stagecut::prefix_sums(seconds), 3);
  std::fprintf(stderr, "cut at %zu %zu\n", best->cuts[1], best->cuts[2]);
  return stagecut::minimize_bottleneck(stagecut::block_sums(seconds), 0) ? 0 : 1;
}
