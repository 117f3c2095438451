// SPDX-License-Identifier: BSL-1.0
// A workspace for a cost that does not promise to be monotone.
#include <stagecut/stagecut.hpp>

struct silent {
  std::size_t size() const { return 3; }
  double operator()(std::size_t, std::size_t) const { return 1; }
};

int main() {
  stagecut::bottleneck_workspace<double> workspace;
  return stagecut::minimize_bottleneck(silent(), 2, workspace) ? 0 : 1;
}
