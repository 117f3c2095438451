// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>

#include <filesystem>
#include <string>
#include <system_error>

// The documents and schemas of the program.

/// Their installed folder, relative to the program's.
#ifndef STAGECUT_DOCUMENTS
#define STAGECUT_DOCUMENTS "../share/doc/stagecut"
#endif
inline constexpr const char* documents_folder = STAGECUT_DOCUMENTS;

/// The documents for users, and their subjects.
inline constexpr stagecut::named<const char*> documents[] = {{"planner.md", "The program by examples."},
                                                            {"profiles.md", "The profiles that it reads."},
                                                            {"recomputation.md", "From dry runs to a plan."},
                                                            {"formats.md", "What plans are written for."},
                                                            {"profile.schema.json", "The JSON of profiles."},
                                                            {"plan.schema.json", "The JSON of plans."}};

/// The path of a document: the installed one, or else the one in the source.
inline std::string document(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::filesystem::path installed = (program.parent_path() / documents_folder / name).lexically_normal();
    if (std::filesystem::exists(installed, error)) return installed.string();
  }
  return "docs/" + name;
}
