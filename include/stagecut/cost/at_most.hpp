// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// A cost, and the bound of stages: `Bounds` is one bound, or a view of one for every stage.
template <stage_cost Cost, class Bounds>
struct placed_at_most {
  Cost cost;
  Bounds bounds;

  /// @pre that stage has a bound
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    if constexpr (interval_cost<Cost>) {
      return cost(first, last) <= bound(stage);
    } else {
      return cost(stage, first, last) <= bound(stage);
    }
  }

 private:
  [[nodiscard]] STAGECUT_HOST_DEVICE const cost_t<Cost>& bound(std::size_t stage) const {
    if constexpr (std::same_as<Bounds, cost_t<Cost>>) {
      return bounds;
    } else {
      return bounds[stage];
    }
  }
};

}  // namespace detail

/// The constraint that no stage costs more than a bound: a memory cap, or a bottleneck to keep while something else is
/// minimized.
///
/// `Bounds` is one bound, `cost_t<Model>`, or a vector with one for every stage; both are deduced. Hereditary if the cost
/// is monotone; if the cost is only right-monotone, the constraint has `hopeless`.
template <stage_cost Model, class Bounds = cost_t<Model>>
requires std::same_as<Bounds, cost_t<Model>> || std::same_as<Bounds, std::vector<cost_t<Model>>>
class at_most {
  static constexpr bool one = std::same_as<Bounds, cost_t<Model>>;
  static constexpr bool same = one && (interval_cost<Model> || promises<Model, stage_invariant>);

 public:
  /// Its promises.
  using axioms =
      axiom<(promises<Model, monotone> ? hereditary.bits : 0U) | (same ? stagecut::stage_invariant.bits : 0U)>;

  /// @param cost    cost of stages; copied, or referred to if given as `std::cref(cost)`
  /// @param bounds  upper bound, for all stages or for each
  /// @throws        argument_error for a bound that is NaN
  at_most(Model cost, Bounds bounds) : cost_(std::forward<Model>(cost)), bounds_(std::move(bounds)) {
    if constexpr (arithmetic<cost_t<Model>>) {
      if constexpr (one) {
        check("bound", bounds_);
      } else {
        for (std::size_t s = 0; s < bounds_.size(); ++s) {
          check(detail::joined({"bounds[", s, "]"}), bounds_[s]);
        }
      }
    }
  }
  at_most(std::remove_reference_t<Model>&&, Bounds) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use
  template <std::floating_point Real>
  requires integer<cost_t<Model>> at_most(const Model&, Real)
  = delete;  // would be truncated to an integer
  template <class Other, class Any = std::vector<double>>
  requires(!stage_cost<detail::wrapped_t<Other>>) at_most(const Other&, const Any&)
  = delete;  // prefix_sums(items), monotone(n, f) or your own cost

  /// The cost that is bounded.
  [[nodiscard]] const std::remove_cvref_t<Model>& cost() const noexcept { return *cost_; }

  /// The bound of a stage.
  /// @throws argument_error for a stage without a bound
  [[nodiscard]] const cost_t<Model>& bound(std::size_t stage) const {
    if constexpr (one) {
      return bounds_;
    } else {
      if (stage < bounds_.size()) return bounds_[stage];
      detail::fail(argument_error("at_most", "bounds.size()", std::to_string(bounds_.size()),
                                  detail::joined({"must be the number of stages, above ", stage})));
    }
  }

  /// Whether the cost of the items `[first, last)` is within the stage's bound.
  /// @throws argument_error for items beyond those of the cost, and for a stage without a bound
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    if (last > cost_->size()) refuse(last);
    return detail::price(*cost_, stage, first, last) <= bound(stage);
  }

  /// Whether they exceed it, and so do all extensions at the end.
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const
      requires(promises<Model, right_monotone>) {
    return !(*this)(stage, first, last);
  }

  /// For a monotone cost, an item that fits on no stage: then no cut into that number of stages is allowed. Sufficient,
  /// not necessary. O(n) calls of the cost, times the number of stages if these differ.
  [[nodiscard]] std::optional<reason> obstacle(std::size_t items, std::size_t stages) const
      requires(promises<Model, monotone>) {
    if (stages == 0) return std::nullopt;
    static_cast<void>(bound(stages - 1));
    for (std::size_t item = 0; item < items; ++item) {
      std::size_t s = 0;
      while (s < (same ? 1 : stages) && !(*this)(s, item, item + 1)) ++s;
      if (s < (same ? 1 : stages)) continue;
      const std::string alone = detail::joined({"item ", item, " alone costs more than "});
      if constexpr (same && arithmetic<cost_t<Model>>) {
        return reason{reason::cause::constraint,
                      0,
                      0,
                      detail::joined({alone, "the ", detail::number_text(bound(0)), " that a stage may cost: ",
                                      detail::number_text(detail::price(*cost_, 0, item, item + 1))}),
                      {}};
      } else {
        return reason{reason::cause::constraint, 0, 0, detail::joined({alone, "any of the stages may"}), {}};
      }
    }
    return std::nullopt;
  }

  /// The same constraint on copies of the data of the cost and the bounds: see `memory_for`. Arguments are not checked.
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using placed_cost = detail::placed_t<std::remove_cvref_t<Model>, Memory>;
    if constexpr (one) {
      return detail::placed_at_most<placed_cost, Bounds>{detail::placed(*cost_, memory), bounds_};
    } else {
      using view_t = view<const cost_t<Model>>;
      return detail::placed_at_most<placed_cost, view_t>{detail::placed(*cost_, memory), memory(view_t(bounds_))};
    }
  }

 private:
  [[noreturn]] void refuse(std::size_t items) const {
    detail::fail(argument_error("at_most", "cost.size()", std::to_string(cost_->size()),
                                detail::joined({"must be the number of items, at least ", items})));
  }

  template <arithmetic T>
  static void check(std::string_view argument, T bound) {
    if (is_nan(bound)) detail::fail(argument_error("at_most", argument, "NaN", "must be a number"));
  }

  detail::holder<Model> cost_;
  Bounds bounds_;
};

/// The type, deduced from the arguments.
template <class Model>
at_most(Model, cost_t<detail::wrapped_t<Model>>) -> at_most<detail::wrapped_t<Model>>;
/// The type, deduced from the arguments.
template <class Model>
at_most(Model, std::vector<cost_t<detail::wrapped_t<Model>>>)
    -> at_most<detail::wrapped_t<Model>, std::vector<cost_t<detail::wrapped_t<Model>>>>;
/// Without a cost: explains the error.
template <class Other, class Any = std::vector<double>>
requires(!stage_cost<detail::wrapped_t<Other>>) at_most(const Other&, const Any&)
->at_most<detail::give_a_cost_as_prefix_sums_or_monotone_n_f>;

}  // namespace stagecut::inline STAGECUT_ABI
