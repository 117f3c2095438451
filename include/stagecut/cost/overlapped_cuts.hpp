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
#include <stagecut/cost/overlapped_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The time of a stage that overlaps computing, receiving and sending: the maximum of its items' cost, divided by the
/// speed of its device, and the messages at both of its ends. An `overlapped_cost`.
template <stage_cost Model>
requires promises<Model, monotone> && arithmetic<cost_t<Model>>
class overlapped_cuts {
 public:
  /// Its promises: none, since a wider stage may send less at its ends.
  using axioms = stagecut::axioms<>;

  /// @param cost   cost of the items; copied, or referred to if given as `std::cref(cost)`
  /// @param times  times of messages, in the same unit
  /// @throws       argument_error for times of another number of items
  overlapped_cuts(Model cost, cut_times times) : cost_(std::forward<Model>(cost)), times_(std::move(times)) {
    if (times_.size() == size()) return;
    detail::fail(argument_error("overlapped_cuts", "times.size()", std::to_string(times_.size()),
                                detail::joined({"must be the number of items, ", size()})));
  }
  /// The same for devices of different speeds.
  /// @param cost    as above
  /// @param times   as above
  /// @param speeds  of every stage, above 0
  /// @throws        argument_error as above, and for speeds that are not finite and above 0 or make the time of the chain
  ///                infinite
  overlapped_cuts(Model cost, cut_times times, std::vector<double> speeds)
      : overlapped_cuts(std::forward<Model>(cost), std::move(times)) {
    const std::size_t stages = speeds.size();
    speeds_ = detail::stage_speeds("overlapped_cuts", std::move(speeds));
    for (std::size_t s = 0; s < stages; ++s) {
      if (is_finite(work(s, 0, size()))) continue;
      detail::fail(argument_error("overlapped_cuts", detail::joined({"speeds[", s, "]"}), "nearly 0",
                                  "must run the chain in a finite time"));
    }
  }
  overlapped_cuts(std::remove_reference_t<Model>&&, cut_times,
                  std::vector<double> = {}) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use
  template <class Other>
  requires(!(stage_cost<detail::wrapped_t<Other>> && promises<detail::wrapped_t<Other>, monotone>))
      overlapped_cuts(const Other&, cut_times, std::vector<double> = {})
  = delete;  // for example prefix_sums(items)

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return cost_->size(); }

  /// The time of the items `[first, last)` on that stage, without messages.
  /// @throws argument_error for a stage without a speed
  [[nodiscard]] double work(std::size_t stage, std::size_t first, std::size_t last) const {
    return speeds_(static_cast<double>(detail::price(*cost_, stage, first, last)), stage);
  }

  /// The time of the message over that boundary if the chain is cut before the item `cut`; 0 at both ends.
  /// @throws argument_error for a boundary without a link
  [[nodiscard]] double message(std::size_t boundary, std::size_t cut) const { return times_(boundary, cut); }

  /// The time of the items `[first, last)` as that stage.
  /// @throws argument_error as `work`, and for a stage without a link
  [[nodiscard]] double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    double result = work(stage, first, last);
    for (const double passing : {times_.received(stage, first), times_.sent(stage, last)}) {
      if (result < passing) result = passing;
    }
    return result;
  }

 private:
  detail::holder<Model> cost_;
  cut_times times_;
  detail::stage_speeds speeds_;
};

/// The type, deduced from `std::cref(cost)`.
template <detail::reference_wrapper Wrapper>
overlapped_cuts(Wrapper, cut_times, std::vector<double> = {}) -> overlapped_cuts<detail::wrapped_t<Wrapper>>;
/// Without such a cost: explains the error.
template <class Other>
requires(!(stage_cost<detail::wrapped_t<Other>> && promises<detail::wrapped_t<Other>, monotone>))
    overlapped_cuts(const Other&, cut_times, std::vector<double> = {})
->overlapped_cuts<detail::give_a_monotone_cost_as_prefix_sums_or_monotone_n_f>;

}  // namespace stagecut::inline STAGECUT_ABI
