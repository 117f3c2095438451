// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// How to read a table of layers whose columns do not match a profile exactly.
struct table_options {
  double bytes_per_parameter = 2;  ///< for a column that counts parameters; finite and above 0
  /// Receives a line that begins with `SOURCE:LINE: ` for each assumption of the reader and each omission; null: no
  /// notes.
  std::vector<std::string>* notes = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI::io
