// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/words.hpp>

#include <filesystem>
#include <string>
#include <system_error>

// The pages and schemas that belong to the program.

/// Where they are installed, from the folder of the program.
#ifndef STAGECUT_DOCUMENTS
#define STAGECUT_DOCUMENTS "../share/doc/stagecut"
#endif
inline constexpr const char* documents_folder = STAGECUT_DOCUMENTS;

/// Those that a user of the program looks into, and what they tell.
inline constexpr stagecut::word<const char*> documents[] = {{"planner.md", "The program by examples."},
                                                            {"profiles.md", "The profiles that it reads."},
                                                            {"recomputation.md", "From dry runs to a plan."},
                                                            {"formats.md", "What plans are written for."},
                                                            {"profile.schema.json", "The JSON of profiles."},
                                                            {"plan.schema.json", "The JSON of plans."}};

/// The path of one of them: where it is installed, or else in the source.
inline std::string document(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::filesystem::path installed = (program.parent_path() / documents_folder / name).lexically_normal();
    if (std::filesystem::exists(installed, error)) return installed.string();
  }
  return "docs/" + name;
}
