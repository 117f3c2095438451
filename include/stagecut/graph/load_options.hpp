// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How work and messages combine into a stage's time.
enum class message_overlap : std::uint8_t {
  none,  ///< one after the other: a stage takes the sum of work and messages
  full   ///< at the same time: the larger of the two, per pass (forward and backward)
};

/// The words for how messages and work combine.
inline constexpr named<message_overlap> message_overlap_names[] = {{"added", message_overlap::none},
                                                                   {"overlapped", message_overlap::full}};

/// How the load of a stage of a graph is computed. Unset fields keep their defaults.
struct load_options {
  message_overlap overlap = message_overlap::none;  ///< how work and messages combine
  /// Seconds that a stage takes in addition to its operators: one value for all stages, or one for each; empty: 0.
  std::vector<double> constants{};
  std::vector<double> speeds{};          ///< of each stage's accelerator, above 0, 1: as profiled; empty: all 1
  std::optional<double> memory_limit{};  ///< bytes of an accelerator; unset: no limit
  /// Whether a stage keeps the activations of several microbatches, as 1F1B does: as many as there are stages from it
  /// to the last one, at most `microbatches`. Otherwise it keeps one.
  bool in_flight = false;
  std::size_t microbatches = 0;  ///< per iteration; 0: any number
  double boundary_buffers = 0;   ///< bytes of buffers per byte that a stage receives or sends
};

namespace detail {

/// Rejects invalid options for up to `stages` stages.
STAGECUT_DECL void check_load_options(std::string_view function, const load_options& options, std::size_t stages);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/load_options.ipp>
#endif
