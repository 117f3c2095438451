// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdlib>

/// How many random cases a test runs: `STAGECUT_CASES`, which `tests/run --long` sets, or the usual number.
[[nodiscard]] inline std::size_t cases(std::size_t usual) {
  const char* const said = std::getenv("STAGECUT_CASES");
  return said == nullptr ? usual : std::strtoul(said, nullptr, 10);
}
