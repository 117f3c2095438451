// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The limits of a request whose searches run one after the other: each gets a share of the remaining seconds and
/// nodes. With nodes alone, shares do not depend on the speed of the machine.
class shared_effort {
 public:
  explicit shared_effort(const search_options& limits);
  shared_effort(const shared_effort&) = delete;
  shared_effort& operator=(const shared_effort&) = delete;

  /// The limits with a share of what is left, but at least the fraction `least` of the whole.
  [[nodiscard]] search_options share(double part, double least = 0) const;

  /// The fraction of the whole that is left, from 1 to 0; also 0 if the search was stopped or has no limit.
  [[nodiscard]] double left() const;

  /// Whether there is a limit to share.
  [[nodiscard]] bool is_limited() const noexcept { return limits_.time_limit || limits_.node_limit; }

 private:
  [[nodiscard]] double seconds() const { return detail::seconds_now() - begin_; }
  [[nodiscard]] std::size_t nodes() const noexcept { return *spent_ - before_; }

  search_options limits_;
  double begin_;
  mutable std::size_t own_ = 0;  // nodes, if nothing else counts them
  std::size_t* spent_;
  std::size_t before_;
};

inline shared_effort::shared_effort(const search_options& limits)
    : limits_(limits),
      begin_(detail::seconds_now()),
      spent_(limits.nodes_spent != nullptr ? limits.nodes_spent : __builtin_addressof(own_)),
      before_(*spent_) {}

inline search_options shared_effort::share(double part, double least) const {
  search_options result = limits_;
  result.nodes_spent = spent_;
  if (const auto& all = limits_.time_limit) {
    result.time_limit = std::max({(*all - seconds()) * part, *all * least, 0.0});
  }
  if (const auto& all = limits_.node_limit) {
    const double whole = static_cast<double>(*all);
    const double left = nodes() < *all ? static_cast<double>(*all - nodes()) : 0;
    result.node_limit = static_cast<std::size_t>(std::max(left * part, whole * least));
  }
  return result;
}

inline double shared_effort::left() const {
  if (!is_limited() || (limits_.stop && limits_.stop())) return 0;
  double result = 1;
  if (const auto& all = limits_.time_limit) result = *all > 0 ? 1 - seconds() / *all : 0;
  if (const auto& all = limits_.node_limit) {
    const double nodes_left = *all > 0 ? 1 - static_cast<double>(nodes()) / static_cast<double>(*all) : 0;
    result = std::min(result, nodes_left);
  }
  return std::max(result, 0.0);
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
