// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/detail/check_links.hpp>
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
  cut_times(std::vector<double> bytes, std::vector<link_speed> links)
      : bytes_(std::move(bytes)), links_(std::move(links)) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (is_finite(bytes_[i]) && !is_negative(bytes_[i])) continue;
      detail::fail(invalid_input(detail::joined({"bytes[", i, "]"}), "must be finite and not negative"));
    }
    detail::check_links("cut_times", "links", links_);
    double most = 0;
    for (const double each : bytes_) most = most < each ? each : most;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (is_finite(links_[i](most))) continue;
      detail::fail(argument_error("cut_times", detail::joined({"links[", i, "].bandwidth"}),
                                  std::to_string(links_[i].bandwidth), "must carry every message in a finite time"));
    }
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  /// The time of the message over that boundary if the chain is cut there before the item `cut`; 0 at both ends.
  /// @pre    `cut <= size()`
  /// @throws argument_error for a boundary whose link was not said
  [[nodiscard]] double operator()(std::size_t boundary, std::size_t cut) const {
    if (cut == 0 || cut == size()) return 0;
    if (links_.size() != 1 && boundary >= links_.size()) refuse(boundary + 2);
    return time(boundary, cut);
  }

  /// The time of the message that a stage from the item `first` on receives: none for stage 0.
  /// @pre    `first <= size()`
  /// @throws argument_error if there are more stages than the links join
  [[nodiscard]] double received(std::size_t stage, std::size_t first) const {
    if (links_.size() != 1 && stage > links_.size()) refuse(stage + 1);
    return stage == 0 || first == 0 || first == size() ? 0 : time(stage - 1, first);
  }

  /// The time of the message that a stage with the items up to `last` sends on: none for a stage behind the last link.
  /// @pre    `last <= size()`
  /// @throws argument_error if there are more stages than the links join
  [[nodiscard]] double sent(std::size_t stage, std::size_t last) const {
    if (links_.size() != 1 && stage > links_.size()) refuse(stage + 1);
    return last == 0 || last == size() || (links_.size() != 1 && stage == links_.size()) ? 0 : time(stage, last);
  }

 private:
  [[nodiscard]] double time(std::size_t boundary, std::size_t cut) const {
    return detail::as_computed(links_[links_.size() == 1 ? 0 : boundary](bytes_[cut - 1]));
  }

  [[noreturn]] void refuse(std::size_t stages) const {
    detail::fail(argument_error(
        "cut_times", "links.size()", std::to_string(links_.size()),
        detail::joined({"must be 1, or the number of boundaries between at least ", stages, " stages"})));
  }

  std::vector<double> bytes_;
  std::vector<link_speed> links_;
};

}  // namespace stagecut::inline STAGECUT_ABI
