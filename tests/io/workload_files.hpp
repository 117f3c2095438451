// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

/// The files with an extension in the folders of real profiles, where STAGECUT_WORKLOADS names these; none elsewhere.
inline std::vector<std::string> workload_files(const std::vector<std::string>& folders, const std::string& extension) {
  const char* const root = std::getenv("STAGECUT_WORKLOADS");
  std::vector<std::string> result;
  if (root == nullptr) {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return result;
  }
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(root) + "/" + folder)) {
      const auto& path = entry.path();
      if (path.extension() == extension && path.filename() != "LICENSE.txt") result.push_back(path.string());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}
