// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The speed of every stage; all are 1 unless set.
class stage_speeds {
 public:
  stage_speeds() = default;

  /// Throws `argument_error` in the name of `function` for a speed that is not finite and above 0.
  stage_speeds(std::string_view function, std::vector<double> speeds);

  /// `work` at the speed of that stage; throws `argument_error` for a stage without a speed.
  [[nodiscard]] double operator()(double work, std::size_t stage) const;

 private:
  std::string_view function_;
  std::vector<double> speeds_;
  bool said_ = false;
};

}  // namespace detail

/// The cost of a chain whose stages run on devices of different speeds: each cost, as a `double`, divided by the speed of
/// its stage. (`with_speeds` does the same for a pipeline model.)
///
/// Keeps the promises of the cost about growth and the quadrangle inequalities, but not `additive`, `separable` or
/// `stage_invariant`.
template <stage_cost Model>
requires arithmetic<cost_t<Model>>
class at_speeds {
 public:
  /// Its promises.
  using axioms = axiom<enable_axioms<Model>.bits&(monotone | monge | inverse_monge).bits>;

  /// @param cost    of a stage at speed 1; copied, or referred to if given as `std::cref(cost)`
  /// @param speeds  of every stage, above 0
  /// @throws        argument_error for a speed that is not finite and above 0
  at_speeds(Model cost, std::vector<double> speeds)
      : cost_(std::forward<Model>(cost)), speeds_("at_speeds", std::move(speeds)) {}
  at_speeds(std::remove_reference_t<Model>&&, std::vector<double>) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use
  template <class Other>
  requires(!stage_cost<detail::wrapped_t<Other>>) at_speeds(const Other&, std::vector<double>)
  = delete;  // prefix_sums(items), monotone(n, f) or your own cost

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return cost_->size(); }

  /// The cost of the items `[first, last)` as that stage.
  /// @throws argument_error for a stage without a speed
  [[nodiscard]] double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return speeds_(static_cast<double>(detail::price(*cost_, stage, first, last)), stage);
  }

 private:
  detail::holder<Model> cost_;
  detail::stage_speeds speeds_;
};

/// The type, deduced from `std::cref(cost)`.
template <detail::reference_wrapper Wrapper>
at_speeds(Wrapper, std::vector<double>) -> at_speeds<detail::wrapped_t<Wrapper>>;
/// Without a cost: explains the error.
template <class Other>
requires(!stage_cost<detail::wrapped_t<Other>>) at_speeds(const Other&, std::vector<double>)
->at_speeds<detail::give_a_cost_as_prefix_sums_or_monotone_n_f>;

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/at_speeds.ipp>
#endif
