// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/take_measured.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A measured iteration of the model cut into stages with equal numbers of layers.
struct measured_iteration {
  std::size_t devices = 1;        ///< ranks of the pipeline
  std::size_t stages_per_rank = 1;  ///< stages per rank
  std::size_t microbatches = 1;   ///< of the iteration
  std::string schedule = "1f1b";  ///< one of `schedules`
  double seconds = 0;             ///< above 0

  /// Equal in every part.
  friend bool operator==(const measured_iteration&, const measured_iteration&) = default;
};

/// Measurements of a model on a device.
struct measured_file {
  std::vector<measured_layer> layers{};          ///< some of its layers
  std::vector<measured_iteration> iterations{};  ///< whole iterations
};

/// Reads measurements: a JSON object with `layers`, objects of `name`, `forward`, `backward`, and `iterations`, objects
/// of `devices`, `stages_per_rank`, `microbatches`, `schedule`, `seconds`; at least one of both. Ignores other members of a layer,
/// so that a profile is valid input.
///
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @throws        invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: a member that is missing or
///                of the wrong type, times that are not above 0, two layers with one name, an unknown schedule
[[nodiscard]] STAGECUT_DECL measured_file read_measured(std::string_view text, std::string_view source,
                                                        const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/measured_file.ipp>
#endif
