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

/// An iteration of a pipeline, to be drawn or traced.
struct pipeline_picture {
  std::string title{};                        ///< empty: the schedule's name
  stagecut::schedule order{};                 ///< what runs where
  simulation<double> run{};                   ///< when it runs; for the same number of ranks
  std::vector<rank_memory<double>> memory{};  ///< of every rank; empty: unknown
  std::optional<double> memory_limit{};       ///< memory of each rank, in the unit of `memory`
  std::vector<double> memory_limits{};        ///< of every rank, if they differ; else empty
  bool seconds = true;                        ///< times are seconds; else they have no unit
  bool bytes = true;                          ///< memory is in bytes; else in activations of a microbatch

  /// The memory limit of a rank; unset: unknown.
  [[nodiscard]] std::optional<double> limit_of(std::size_t rank) const {
    return rank < memory_limits.size() ? std::optional(memory_limits[rank]) : memory_limit;
  }
};

/// The title of a picture in printable form: see `visible`.
[[nodiscard]] STAGECUT_DECL std::string title_of(const pipeline_picture& picture);

/// The long name of a kind of op.
[[nodiscard]] constexpr const char* kind_name(op_kind kind) noexcept {
  constexpr const char* names[] = {"forward", "backward", "input gradient", "weight gradient",
                                   "send",    "receive",  "send",           "receive",
                                   "unshard", "reshard",  "all-reduce",     "optimizer step"};
  return names[static_cast<std::size_t>(kind)];
}

/// The microbatch of an op, with its slice if microbatches are sliced: `12`, `12:1`.
[[nodiscard]] STAGECUT_DECL std::string microbatch_text(const stagecut::schedule& order, const op& each);

namespace detail {

using timed_ops = view<const timed_op<double>>;

/// The most stages on any rank; at least 1.
[[nodiscard]] STAGECUT_DECL std::size_t most_chunks(const stagecut::schedule& order);

/// The rank that receives a transfer.
[[nodiscard]] inline std::size_t receiver(const stagecut::schedule& order, const op& sent) {
  return order.rank_of[other_end(sent).stage];
}

/// The ops of a rank; none if the vector is empty.
[[nodiscard]] inline timed_ops of_rank(const std::vector<std::vector<timed_op<double>>>& all, std::size_t rank) {
  return all.empty() ? timed_ops() : timed_ops(all[rank]);
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pipeline_picture.ipp>
#endif
