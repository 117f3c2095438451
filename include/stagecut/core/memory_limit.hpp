// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The bytes that devices may hold: no limit, one limit for all devices, or one for each rank.
///
///     request.memory_limit = 40e9;           // every device
///     request.memory_limit = {40e9, 80e9};   // rank 0, rank 1
class memory_limit {
 public:
  /// No limit.
  memory_limit() = default;

  // NOLINTBEGIN(google-explicit-constructor)
  /// For every device; unset: no limit.
  /// @{
  memory_limit(double bytes) : bytes_{bytes} {}
  memory_limit(std::optional<double> bytes) {
    if (bytes) bytes_.push_back(*bytes);
  }
  /// @}
  /// For each rank; one value is for every device, and none is no limit.
  /// @{
  memory_limit(std::vector<double> bytes) : bytes_(std::move(bytes)) {}
  memory_limit(std::initializer_list<double> bytes) : bytes_(bytes) {}
  /// @}
  // NOLINTEND(google-explicit-constructor)

  /// Whether there is a limit.
  [[nodiscard]] explicit operator bool() const noexcept { return !bytes_.empty(); }
  /// The limit of every device; unset if there is none, or one for each rank.
  [[nodiscard]] std::optional<double> for_all() const {
    return bytes_.size() == 1 ? std::optional(bytes_.front()) : std::nullopt;
  }
  /// The limit of each rank; empty if there is none, or one for all.
  [[nodiscard]] const std::vector<double>& of_ranks() const {
    static const std::vector<double> none{};
    return bytes_.size() > 1 ? bytes_ : none;
  }
  /// The limits as given: none, one for all, or one for each rank.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return bytes_; }
  /// The limit of a rank, or `otherwise` if there is none.
  /// @pre with a limit for each rank, `rank` is one of them
  [[nodiscard]] double of(std::size_t rank, double otherwise) const {
    return bytes_.empty() ? otherwise : bytes_[bytes_.size() == 1 ? 0 : rank];
  }
  /// Every value times `share`.
  [[nodiscard]] memory_limit scaled(double share) const {
    memory_limit result = *this;
    for (double& bytes : result.bytes_) bytes *= share;
    return result;
  }

  /// Equal values.
  friend bool operator==(const memory_limit&, const memory_limit&) = default;

 private:
  std::vector<double> bytes_{};
};

}  // namespace stagecut::inline STAGECUT_ABI
