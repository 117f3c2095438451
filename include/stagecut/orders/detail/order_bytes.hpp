// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The memory of stages and ranks in whole units: bytes, if all are whole and an iteration's sum is below 2^60; else a
/// power of two of a byte, with stages rounded up and ranks rounded down.
class order_bytes {
 public:
  /// Writes the memory of a problem that has its ranks and stages.
  /// @throws argument_error, invalid_input for wrong lengths, and for values that are NaN, infinite or negative
  order_bytes(const synthesis_request& request, schedule_problem& of);

  /// Why no schedule fits: the first rank that cannot hold one microbatch alone; unset: each can.
  [[nodiscard]] std::optional<reason> shortage() const;

 private:
  [[nodiscard]] double kept(std::size_t s) const {
    return request_.bytes.activations.empty() ? 1 : request_.bytes.activations[s];
  }
  [[nodiscard]] double memory(std::size_t rank) const { return request_.memory_limit.of(rank, 0); }
  [[nodiscard]] double resident(std::size_t rank) const;
  /// The peak of a rank, in addition to `held`, with one microbatch at a time.
  template <class Number>
  [[nodiscard]] Number alone(std::size_t rank, Number held, const std::vector<Number>& each,
                             const std::vector<Number>& again) const {
    const std::vector<std::size_t>& stages = of_.stages_of[rank];
    for (const std::size_t s : stages) held += each.empty() ? 1 : each[s];
    Number peak = held;
    for (std::size_t i = stages.size(); i-- > 0;) {
      if (!again.empty() && peak < held + again[stages[i]]) peak = held + again[stages[i]];
      held -= each.empty() ? 1 : each[stages[i]];
    }
    return peak;
  }
  [[nodiscard]] double bytes_alone(std::size_t rank) const {
    return alone(rank, resident(rank), request_.bytes.activations, request_.bytes.recomputed);
  }
  [[nodiscard]] bool fits_alone(std::size_t rank) const { return bytes_alone(rank) <= memory(rank); }
  void check() const;

  void each(const char* name, const std::vector<double>& values) const;

  /// Chooses the unit from the total memory of an iteration.
  void scale();

  [[nodiscard]] std::int64_t up(double bytes) const { return ticks_.up(bytes); }

  const synthesis_request& request_;
  schedule_problem& of_;
  engine::tick_scale ticks_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_bytes.ipp>
#endif
