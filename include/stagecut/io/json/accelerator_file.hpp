// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/accelerator.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A device from a file. The name is not in the figures: they hold only a view, and this object may move.
struct accelerator_file {
  std::string name{};             ///< name in reports
  transformer::device figures{};  ///< its figures; their `name` is empty
};

/// Reads a device: a JSON object whose members are the fields of `transformer::device`. `gemm`, `bandwidth` and `memory`
/// are required. `flops` defaults to `gemm`, `flops_fp32` to a sixteenth of `gemm`, `network` to the A100's.
/// Without `link`, each device is its own domain.
///
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @throws        invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: a member that is missing,
///                unknown or of the wrong type; figures that `check` rejects
[[nodiscard]] STAGECUT_DECL accelerator_file read_accelerator(std::string_view text, std::string_view source,
                                                              const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/accelerator_file.ipp>
#endif
