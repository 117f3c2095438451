// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// How a table of layers is read that says less, or other things, than a profile wants.
struct table_options {
  double bytes_per_parameter = 2;  ///< of a column that counts parameters; finite and above 0
  /// Where each thing that the reader took for granted, or left out, is added as a line of its own that begins with
  /// `SOURCE:LINE: `; none: nobody is told.
  std::vector<std::string>* notes = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI::io
