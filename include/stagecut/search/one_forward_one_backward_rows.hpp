// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The ends of the last op and of the last F of every rank, row by row: row i has F of microbatch i + P - 1 - s on rank
/// s, then B of microbatch i. A rank waits only for ends of its neighbours in this row or the previous one, so nothing
/// else is kept. Every index is a constant, so that all values stay in registers.
template <std::size_t P>
struct one_forward_one_backward_state {
  double forward[P];   // of a pass
  double backward[P];  // of a pass
  double sent[P];      // end of the last F
  double end[P];       // of the last op

  /// The ops of rank s in a row: F if the rank is in `[First, Last)`, and B if `Backward`.
  template <std::size_t S, std::size_t First, std::size_t Last, bool Backward>
  STAGECUT_HOST_DEVICE constexpr void ops() {
    if constexpr (First <= S && S < Last) {
      double begin = end[S];
      if constexpr (S > 0) begin = begin < sent[S - 1] ? sent[S - 1] : begin;
      end[S] = sent[S] = begin + forward[S];
    }
    if constexpr (Backward) {
      double begin = end[S];
      if constexpr (S + 1 < P) begin = begin < end[S + 1] ? end[S + 1] : begin;
      end[S] = begin + backward[S];
    }
  }

  /// From the last rank on: F waits for the neighbour's F of the previous row, which is still there, and B for its B of
  /// this row.
  template <std::size_t First, std::size_t Last, bool Backward, std::size_t... S>
  STAGECUT_HOST_DEVICE constexpr void row(std::index_sequence<S...>) {
    (ops<P - 1 - S, First, Last, Backward>(), ...);
  }
  template <std::size_t... Row>
  STAGECUT_HOST_DEVICE constexpr void warm_up(std::index_sequence<Row...>) {
    (row<0, Row + 1, false>(std::make_index_sequence<P>()), ...);
  }
  template <std::size_t... Row>
  STAGECUT_HOST_DEVICE constexpr void drain(std::index_sequence<Row...>) {
    (row<Row + 1, P, true>(std::make_index_sequence<P>()), ...);
  }

  /// The makespan, for `microbatches >= P`.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double run(std::size_t microbatches) {
    warm_up(std::make_index_sequence<P - 1>());
    for (std::size_t i = P - 1; i < microbatches; ++i) row<0, P, true>(std::make_index_sequence<P>());
    drain(std::make_index_sequence<P - 1>());
    return end[0];
  }

  /// Sets the times of stage s.
  template <std::size_t... S>
  STAGECUT_HOST_DEVICE constexpr void set(candidate points, const stagecut::engine::tick_rows& rows,
                                          std::index_sequence<S...>) {
    ((forward[S] = rows.pass(stagecut::engine::tick_f, S, points[S], points[S + 1]),
      backward[S] = rows.pass(stagecut::engine::tick_b, S, points[S], points[S + 1]), sent[S] = end[S] = 0),
     ...);
  }
};

/// The device view of `one_forward_one_backward_rows`.
template <std::size_t P>
struct one_forward_one_backward_steps {
  stagecut::engine::tick_rows rows{};
  double tick = 1;
  std::size_t microbatches = 0;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points) const {
    one_forward_one_backward_state<P> state;
    state.set(points, rows, std::make_index_sequence<P>());
    return tick * state.run(microbatches);
  }
};

}  // namespace detail

/// The makespan of a cut into P stages under 1F1B without messages: bitwise equal to `cut_makespan`, with the whole
/// simulation in the registers of a thread. Several times as fast on a device; hosts use lanes.
///
/// @tparam P  number of stages and ranks, a compile-time constant
template <std::size_t P>
class one_forward_one_backward_rows {
 public:
  /// @param model         layer times
  /// @param microbatches  of an iteration, at least P
  /// @throws              argument_error for fewer; as `cut_makespan`
  template <pipeline_model Model>
  one_forward_one_backward_rows(const Model& model, std::size_t microbatches)
      : chain_(model, checked(microbatches), {}),
        makespan_(model, checked(microbatches)),
        microbatches_(microbatches) {}

  template <class Other>
  requires(!pipeline_model<Other>)
      one_forward_one_backward_rows(const Other&, std::size_t)  // item_times(forward, backward)
  = delete;

  /// See `candidate_cost`.
  /// @{
  [[nodiscard]] double operator()(candidate points) const { return seen()(points); }
  [[nodiscard]] auto lanes() const { return makespan_.lanes(); }
  void check(candidate points) const { makespan_.check(points); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    auto result = seen();
    result.rows = detail::placed_rows(result.rows, memory);
    return result;
  }
  /// @}

 private:
  [[nodiscard]] static schedule checked(std::size_t microbatches) {
    if (microbatches < P) {
      stagecut::detail::fail(argument_error("search::one_forward_one_backward_rows", "microbatches",
                                            std::to_string(microbatches),
                                            stagecut::detail::joined({"must be at least the number of stages, ", P})));
    }
    return one_forward_one_backward(P, microbatches);
  }
  [[nodiscard]] detail::one_forward_one_backward_steps<P> seen() const noexcept {
    return {chain_.rows(), chain_.tick, microbatches_};
  }

  stagecut::engine::chain_ticks chain_;
  cut_makespan makespan_;
  std::size_t microbatches_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
