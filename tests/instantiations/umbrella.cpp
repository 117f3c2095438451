// SPDX-License-Identifier: BSL-1.0
// What it takes to include all that a compiler alone can read.
#include <stagecut/stagecut.hpp>

int main() {}
