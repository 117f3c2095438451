// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/accelerator.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A device from a file. Its figures do not have its name: that is a view, and this object may move.
struct accelerator_file {
  std::string name{};             ///< what reports call it
  transformer::device figures{};  ///< what it can do; `name` is empty
};

/// Reads a device: a JSON object whose members are the fields of `transformer::device`. `gemm`, `bandwidth` and
/// `memory` are needed. Where `flops` is not said it is `gemm`, and `flops_fp32` a sixteenth of `gemm`; without `link`
/// there is a domain for each device alone, and without `network` the same bandwidth as of A100's.
///
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @throws        invalid_input at `SOURCE:LINE` where it is no JSON, else at `SOURCE#POINTER`: a member that is
///                missing, not known, or not of its type; figures as `check` refuses them
[[nodiscard]] STAGECUT_DECL accelerator_file read_accelerator(std::string_view text, std::string_view source,
                                                              const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/accelerator_file.ipp>
#endif
