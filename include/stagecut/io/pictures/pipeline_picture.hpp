// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// An iteration of a pipeline, to be drawn or written as a trace.
struct pipeline_picture {
  std::string title{};                        ///< empty: the schedule's name
  stagecut::schedule order{};                 ///< what runs where
  simulation<double> run{};                   ///< and when; of as many ranks
  std::vector<rank_memory<double>> memory{};  ///< of every rank; empty: not known
  std::optional<double> memory_limit{};       ///< what a rank has, in the unit of `memory`
  std::vector<double> memory_limits{};        ///< of every rank, where each has its own; else empty
  bool seconds = true;                        ///< times are seconds; else they have no unit
  bool bytes = true;                          ///< memory is bytes; else activations of a microbatch

  /// What that rank has; unset: not known.
  [[nodiscard]] std::optional<double> limit_of(std::size_t rank) const {
    return rank < memory_limits.size() ? std::optional(memory_limits[rank]) : memory_limit;
  }
};

/// What stands above a picture, as it can be shown: `visible`.
[[nodiscard]] STAGECUT_DECL std::string title_of(const pipeline_picture& picture);

/// What a kind of op is called where there is room for it.
[[nodiscard]] constexpr const char* kind_name(op_kind kind) noexcept {
  constexpr const char* names[] = {"forward", "backward", "input gradient", "weight gradient",
                                   "send",    "receive",  "send",           "receive",
                                   "unshard", "reshard",  "all-reduce",     "optimizer step"};
  return names[static_cast<std::size_t>(kind)];
}

/// The microbatch of an op, with its slice if microbatches are cut into several: `12`, `12:1`.
[[nodiscard]] STAGECUT_DECL std::string microbatch_text(const stagecut::schedule& order, const op& each);

namespace detail {

using timed_ops = view<const timed_op<double>>;

/// The most stages that stand on a rank; at least 1.
[[nodiscard]] STAGECUT_DECL std::size_t most_chunks(const stagecut::schedule& order);

/// The rank to which a transfer goes.
[[nodiscard]] inline std::size_t receiver(const stagecut::schedule& order, const op& sent) {
  return order.rank_of[other_end(sent).stage];
}

/// The ops of a rank; of an empty vector, none.
[[nodiscard]] inline timed_ops of_rank(const std::vector<std::vector<timed_op<double>>>& all, std::size_t rank) {
  return all.empty() ? timed_ops() : timed_ops(all[rank]);
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pipeline_picture.ipp>
#endif
