// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The limits of a request whose searches run one after the other: each is given a share of the seconds and of the nodes that
/// are left. With nodes alone, shares do not depend on how fast the machine is.
class shared_effort {
 public:
  explicit shared_effort(const search_limits& limits);
  shared_effort(const shared_effort&) = delete;
  shared_effort& operator=(const shared_effort&) = delete;

  /// The limits with a share of what is left, but with so large a part of the whole at least.
  [[nodiscard]] search_limits share(double part, double least = 0) const;

  /// What part of the whole is left, from 1 to 0; 0 as well where the search was stopped or has no limit.
  [[nodiscard]] double left() const;

  /// Whether there is a limit that can be shared out.
  [[nodiscard]] bool is_limited() const noexcept { return limits_.time_limit || limits_.node_limit; }

 private:
  [[nodiscard]] double seconds() const { return detail::seconds_now() - begin_; }
  [[nodiscard]] std::size_t nodes() const noexcept { return *spent_ - before_; }

  search_limits limits_;
  double begin_;
  mutable std::size_t own_ = 0;  // nodes, where nobody else counts them
  std::size_t* spent_;
  std::size_t before_;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/shared_effort.ipp>
#endif
