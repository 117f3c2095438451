// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The time of a stage that does not overlap computation and communication: the sum of its items, divided by the speed of
/// its device, plus the messages that it receives and sends.
///
/// A stage costs `end(stage, last) - begin(stage, first)`, as computed, where `end` is the sum of the items before it
/// plus what it sends, and `begin` that sum minus what it receives. Never negative, but not monotone: a wider interval
/// may send less at its ends.
template <additive_cost Model>
class added_cuts {
 public:
  /// Its promises; both inequalities hold since its ends are independent.
  using axioms = stagecut::axioms<separable, monge, inverse_monge>;

  /// @param cost   cost of the items; copied, or referred to if given as `std::cref(cost)`
  /// @param times  times of messages, in the same unit
  /// @throws       argument_error for times of another number of items
  added_cuts(Model cost, cut_times times) : cost_(std::forward<Model>(cost)), times_(std::move(times)) {
    if (times_.size() == size()) return;
    detail::fail(argument_error("added_cuts", "times.size()", std::to_string(times_.size()),
                                detail::joined({"must be the number of items, ", size()})));
  }
  /// The same for devices of different speeds.
  /// @param cost    as above
  /// @param times   as above
  /// @param speeds  of every stage, above 0
  /// @throws        argument_error as above, and for speeds that are not finite and above 0 or make the time of the chain
  ///                infinite
  added_cuts(Model cost, cut_times times, std::vector<double> speeds)
      : added_cuts(std::forward<Model>(cost), std::move(times)) {
    const std::size_t stages = speeds.size();
    speeds_ = detail::stage_speeds("added_cuts", std::move(speeds));
    for (std::size_t s = 0; s < stages; ++s) {
      if (is_finite(worked(s, size()))) continue;  // the difference of two would be NaN
      detail::fail(argument_error("added_cuts", detail::joined({"speeds[", s, "]"}), "nearly 0",
                                  "must run the chain in a finite time"));
    }
  }
  added_cuts(std::remove_reference_t<Model>&&, cut_times, std::vector<double> = {}) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use
  template <class Other>
  requires(!additive_cost<detail::wrapped_t<Other>>) added_cuts(const Other&, cut_times, std::vector<double> = {})
  = delete;  // for example prefix_sums(items)

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return cost_->size(); }

  /// The items before `last`, plus what the stage sends if it ends there.
  /// @throws argument_error for a stage without a speed or a link
  [[nodiscard]] double end(std::size_t stage, std::size_t last) const {
    return detail::as_computed(worked(stage, last) + times_.sent(stage, last));
  }

  /// The items before `first`, minus what the stage receives if it begins there.
  /// @throws argument_error as `end`
  [[nodiscard]] double begin(std::size_t stage, std::size_t first) const {
    return detail::as_computed(worked(stage, first) - times_.received(stage, first));
  }

  /// The time of the items `[first, last)` on that stage, without messages: monotone in the interval, and at most the
  /// time of the stage.
  /// @throws argument_error for a stage without a speed
  [[nodiscard]] double work(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::as_computed(worked(stage, last) - worked(stage, first));
  }

  /// The time of the items `[first, last)` as that stage.
  /// @throws argument_error as `end`
  [[nodiscard]] double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::as_computed(end(stage, last) - begin(stage, first));
  }

 private:
  [[nodiscard]] double worked(std::size_t stage, std::size_t item) const {
    return speeds_(static_cast<double>(cost_->prefix(item)), stage);
  }

  detail::holder<Model> cost_;
  cut_times times_;
  detail::stage_speeds speeds_;
};

/// The type, deduced from `std::cref(cost)`.
template <detail::reference_wrapper Wrapper>
added_cuts(Wrapper, cut_times, std::vector<double> = {}) -> added_cuts<detail::wrapped_t<Wrapper>>;
/// Without such a cost: explains the error.
template <class Other>
requires(!additive_cost<detail::wrapped_t<Other>>) added_cuts(const Other&, cut_times, std::vector<double> = {})
->added_cuts<detail::give_an_additive_cost_as_prefix_sums>;

}  // namespace stagecut::inline STAGECUT_ABI
