// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A cost with feasibility: rejected candidates rank after all allowed ones.
template <class Cost>
struct constrained {
  Cost cost{};           ///< of an allowed candidate
  bool allowed = false;  ///< whether the constraint allows it

  constexpr constrained() = default;
  /// The cost of an allowed candidate.
  STAGECUT_HOST_DEVICE constexpr constrained(Cost of)  // NOLINT(google-explicit-constructor)
      : cost(of), allowed(true) {}

  /// By `allowed`, then by the cost.
  friend STAGECUT_HOST_DEVICE constexpr bool operator<(const constrained& a, const constrained& b) {
    return a.allowed && (!b.allowed || a.cost < b.cost);
  }
  /// Equality of both members.
  friend bool operator==(const constrained&, const constrained&) = default;
  /// Whether it is allowed, and its cost is NaN.
  [[nodiscard]] friend STAGECUT_HOST_DEVICE constexpr bool is_nan(const constrained& of) {
    return of.allowed && detail::is_no_cost(of.cost);
  }
};

/// A cost of cuts with a constraint that rejects some stages. Searches answer `infeasible` if it rejects all
/// candidates, and never return a rejected one.
template <class E, class Constraint>
class constrained_cost {
  static_assert(candidate_cost<E>,
                "constrained_cost(evaluator, constraint) takes an evaluator of candidates: wrap a cost of stages in "
                "stage_objective(cost), a pipeline model in cut_makespan(model, schedule)");
  static_assert(stage_constraint<Constraint>,
                "constrained_cost(evaluator, constraint) asks the constraint constraint(stage, first, last) const, a "
                "bool");
  using cost_t = constrained<candidate_cost_t<E>>;

 public:
  /// Element type of the scratch memory.
  using number = detail::number_t<E>;

  /// @param evaluator   kept as a copy
  /// @param constraint  a `stage_constraint`; kept as a copy
  constexpr constrained_cost(E evaluator, Constraint constraint)
      : evaluator_(std::move(evaluator)), constraint_(std::move(constraint)) {}

  /// See `candidate_cost`. Rejected candidates are not evaluated.
  /// @{
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room() const {
    if constexpr (detail::has_room<E>) return evaluator_.room();
    return 0;
  }
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr cost_t operator()(candidate points, strided_view<number> room) const {
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      if (!constraint_(s, std::size_t{points[s]}, std::size_t{points[s + 1]})) return {};
    }
    if constexpr (detail::has_room<E>) {
      return evaluator_(points, room);
    } else {
      return evaluator_(points);
    }
  }
  STAGECUT_DEVICE void call_parts() const {
    static_cast<void>(constraint_(std::size_t{}, std::size_t{}, std::size_t{}));
    detail::call_on_device(evaluator_);
  }
  void check(candidate points) const { detail::check_candidate(evaluator_, points); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using evaluator = stagecut::detail::placed_t<E, Memory>;
    using constraint = stagecut::detail::placed_t<Constraint, Memory>;
    return constrained_cost<evaluator, constraint>(stagecut::detail::placed(evaluator_, memory),
                                                   stagecut::detail::placed(constraint_, memory));
  }
  /// @}

 private:
  E evaluator_;
  Constraint constraint_;
};

namespace detail {

/// Whether the candidate with this cost may be chosen.
template <class Cost>
[[nodiscard]] constexpr bool is_allowed(const Cost&) noexcept {
  return true;
}
template <class Cost>
[[nodiscard]] constexpr bool is_allowed(const constrained<Cost>& cost) noexcept {
  return cost.allowed;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
