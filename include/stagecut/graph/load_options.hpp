// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/words.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How the work of a stage and its messages make its time.
enum class message_overlap : std::uint8_t {
  none,  ///< one after the other: a stage takes work and messages
  full   ///< at the same time: of the forward pass the larger of both, and of the backward pass
};

/// The words for how messages and work go together.
inline constexpr word<message_overlap> message_overlap_words[] = {{"added", message_overlap::none},
                                                                  {"overlapped", message_overlap::full}};

/// How the load of a stage of a graph is reckoned. What is not said stays at its default.
struct load_options {
  message_overlap overlap = message_overlap::none;  ///< how work and messages go together
  /// Seconds that a stage takes beside its operators, whichever they are: one for all stages, or one for each; none: 0.
  std::vector<double> constants{};
  std::vector<double> speeds{};    ///< of the accelerator of every stage, above 0, 1: as profiled; empty: all 1
  std::optional<double> memory{};  ///< bytes of an accelerator; unset: no limit
  /// Whether a stage keeps the activations of several microbatches, as 1F1B does: of as many as there are stages from it
  /// to the last one, and not of more than `microbatches`. Otherwise of one.
  bool in_flight = false;
  std::size_t microbatches = 0;  ///< of an iteration; 0: any number
  double boundary_buffers = 0;   ///< bytes of buffers for each byte that a stage receives or sends
};

namespace detail {

/// Refuses options that make no sense for up to `stages` stages.
STAGECUT_DECL void check_load_options(std::string_view function, const load_options& options, std::size_t stages);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/load_options.ipp>
#endif
