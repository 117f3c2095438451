// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The times of messages between neighbouring stages of a chain: the item before a cut sends its output over the link of
/// the boundary. Boundary s lies between the stages s and s + 1.
///
/// The time is for one message in one direction; for activations and the gradients that return, give the bytes of both
/// and twice the latency, or another cost of the pair. Nothing crosses the ends of the chain.
class cut_times {
 public:
  /// @param bytes  sent after every item, of length n; the last is not used
  /// @param links  of every boundary, k - 1 for k stages; or one for all of them
  /// @throws       invalid_input for bytes, and argument_error for a latency or a bandwidth, that are negative or not
  ///               finite; the latter also for a bandwidth that makes the time of a message infinite
  cut_times(std::vector<double> bytes, std::vector<link_speed> links);

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  /// The time of the message over that boundary if the chain is cut before the item `cut`; 0 at both ends.
  /// @pre    `cut <= size()`
  /// @throws argument_error for a boundary without a link
  [[nodiscard]] double operator()(std::size_t boundary, std::size_t cut) const;

  /// The time of the message that a stage starting at the item `first` receives: 0 for stage 0.
  /// @pre    `first <= size()`
  /// @throws argument_error if there are more stages than the links join
  [[nodiscard]] double received(std::size_t stage, std::size_t first) const;

  /// The time of the message that a stage with the items up to `last` sends: 0 for a stage after the last link.
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
