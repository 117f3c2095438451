// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What messages between neighbouring stages of a chain take: what the item before a cut hands to the item behind it,
/// over the link of the boundary. Boundary s lies between the stages s and s + 1.
///
/// The time is that of one message in one direction; for activations and the gradients that come back, give the bytes
/// of both and twice the latency, or what else the pair takes. Nothing passes the ends of the chain.
class cut_times {
 public:
  /// @param bytes  behind every item, of length n; that of the last is not used
  /// @param links  of every boundary, k - 1 for k stages; or one, for all of them
  /// @throws       invalid_input for bytes, and argument_error for a latency or a bandwidth, that are negative or not
  ///               finite; the latter also for a bandwidth at which a message takes for ever
  cut_times(std::vector<double> bytes, std::vector<link_speed> links);

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  /// The time of the message over that boundary if the chain is cut there before the item `cut`; 0 at both ends.
  /// @pre    `cut <= size()`
  /// @throws argument_error for a boundary whose link was not said
  [[nodiscard]] double operator()(std::size_t boundary, std::size_t cut) const;

  /// The time of the message that a stage from the item `first` on receives: none for stage 0.
  /// @pre    `first <= size()`
  /// @throws argument_error if there are more stages than the links join
  [[nodiscard]] double received(std::size_t stage, std::size_t first) const;

  /// The time of the message that a stage with the items up to `last` sends on: none for a stage behind the last link.
  /// @pre    `last <= size()`
  /// @throws argument_error if there are more stages than the links join
  [[nodiscard]] double sent(std::size_t stage, std::size_t last) const;

 private:
  [[nodiscard]] double time(std::size_t boundary, std::size_t cut) const;

  [[noreturn]] void refuse(std::size_t stages) const;

  std::vector<double> bytes_;
  std::vector<link_speed> links_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/cut_times.ipp>
#endif
