// SPDX-License-Identifier: BSL-1.0
// Floating-point items do not sum to integers.
#include <stagecut/stagecut.hpp>

int main() { return stagecut::prefix_sums<long>(std::vector<double>{0.5}).size() == 1 ? 0 : 1; }
