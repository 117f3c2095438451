// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace bench {

/// The folder of real profiles in STAGECUT_WORKLOADS; none, with a message, if it does not contain what is needed.
inline std::optional<std::filesystem::path> workload_folder(const char* holds) {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder != nullptr && std::filesystem::exists(std::filesystem::path(folder) / holds)) return folder;
  std::fprintf(stderr, "skipped: STAGECUT_WORKLOADS names no folder with %s\n", holds);
  return std::nullopt;
}

}  // namespace bench
