// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/link_speed.hpp>
#include <stagecut/core/op.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// What a stage takes time for: its passes, and the messages over the boundary behind it, down and up.
enum tick_kind : std::size_t { tick_f, tick_b, tick_w, tick_message, tick_kinds };

/// A chain's times in whole ticks, a power of two of the user's unit, so small that nothing is lost in doubles that are
/// not rounded themselves, and so large that no sum over an iteration is rounded: what is computed of them is exact.
///
/// `tick_b` is B, or I where the schedule tells the gradients apart.
class chain_ticks {
 public:
  template <pipeline_model Model>
  chain_ticks(const Model& model, const schedule& order, const std::vector<link_speed>& links)
      : items(model.size()), stages(order.stages()) {
    for (const auto& rank : order.orders) {
      for (const op& each : rank) {
        splits = splits || each.kind == op_kind::backward_input || each.kind == op_kind::backward_weight;
      }
    }
    constexpr bool same = promises<Model, stage_invariant>;
    std::vector<double> times[3];  // of every stage and item
    const std::size_t rows = same ? 1 : stages;
    for (std::size_t s = 0; s < rows; ++s) {
      for (std::size_t i = 0; i < items; ++i) {
        const double all = checked("backward", s, i, model.backward(s, i, i + 1));
        double weight = 0;
        if constexpr (split_pipeline_model<Model>) {
          if (splits) weight = checked("backward_weight", s, i, model.backward_weight(s, i, i + 1));
          if (all < weight) refuse("backward_weight", s, i, "is above the whole backward pass");
        }
        times[tick_f].push_back(checked("forward", s, i, model.forward(s, i, i + 1)));
        times[tick_b].push_back(all - weight);
        times[tick_w].push_back(weight);
      }
    }
    std::vector<double> messages;  // over every boundary, by its link and cut
    if (!links.empty() && stages > 1) {
      has_messages = true;
      for (const link_speed& each : links) {
        for (std::size_t y = 0; y <= items; ++y) {
          double bytes = 0;
          if constexpr (sending_pipeline_model<Model>) {
            if (y != 0 && y != items) bytes = model.sent(y);
          }
          messages.push_back(y == 0 || y == items ? 0 : checked("sent", 0, y, each(bytes)));
        }
      }
    }
    scale(times, messages, order);
    for (std::size_t kind = 0; kind < 3; ++kind) fill_rows(times[kind], rows);
    for (std::size_t b = 0; b + 1 < stages; ++b) {
      const bool crosses = has_messages && order.rank_of[b] != order.rank_of[b + 1];
      boundary_.push_back(crosses ? messages_.size() : 0);
      if (!crosses) continue;
      const double* const from = messages.data() + (links.size() == 1 ? 0 : b) * (items + 1);
      std::vector<double> row(items + 1);
      for (std::size_t y = 0; y <= items; ++y) row[y] = rounded(from[y]);
      messages_.push_back(std::move(row));
    }
  }

  std::size_t items;          ///< n
  std::size_t stages;         ///< S
  bool splits = false;        ///< whether the schedule runs I and W
  bool has_messages = false;  ///< whether messages take time or order
  double tick = 1;            ///< in the user's unit

  /// A pass of `[first, last)` as stage s.
  [[nodiscard]] double pass(std::size_t kind, std::size_t s, std::size_t first, std::size_t last) const noexcept {
    const double* const sums = row(kind, s);
    return sums[last] - sums[first];
  }
  /// All passes of a microbatch.
  [[nodiscard]] double load(std::size_t s, std::size_t first, std::size_t last) const noexcept {
    return pass(tick_f, s, first, last) + pass(tick_b, s, first, last) + pass(tick_w, s, first, last);
  }
  /// A message over the boundary behind stage s, cut at y; the same in both directions.
  [[nodiscard]] double message(std::size_t s, std::size_t y) const noexcept {
    return s + 1 < stages ? messages_[boundary_[s]][y] : 0;
  }
  /// Prefix sums of the passes of stage s.
  [[nodiscard]] const double* row(std::size_t kind, std::size_t s) const noexcept {
    return rows_[kind * rows_per_kind_ + (rows_per_kind_ == 1 ? 0 : s)].data();
  }
  /// The least `time(s)` of any stage s: what an item takes wherever it stands.
  template <class Time>
  [[nodiscard]] double least(const Time& time) const {
    double best = time(std::size_t{0});
    for (std::size_t s = 1; s < rows_per_kind_; ++s) {
      const double here = time(s);
      best = here < best ? here : best;
    }
    return best;
  }
  /// A time in the user's unit, in ticks.
  [[nodiscard]] double rounded(double time) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(time / tick + 0.5));
  }

 private:
  template <class... Why>
  [[noreturn]] static void refuse(const char* what, std::size_t s, std::size_t i, const Why&... why) {
    fail(
        invalid_input(joined("model.", what, " of item ", std::to_string(i), " on stage ", std::to_string(s)), why...));
  }
  static double checked(const char* what, std::size_t s, std::size_t i, double value) {
    if (is_finite(value) && !is_negative(value)) return value;
    refuse(what, s, i, is_nan(value) ? "NaN, must be finite and not negative" : "must be finite and not negative");
  }

  /// Chooses the tick: the sum of all ops of an iteration, whatever the cut, stays below 2^50 of them.
  void scale(const std::vector<double> (&times)[3], const std::vector<double>& messages, const schedule& order) {
    double most = 0;
    for (std::size_t i = 0; i < items; ++i) {
      double here = 0;
      for (std::size_t at = i; at < times[0].size(); at += items) {
        const double all = times[tick_f][at] + times[tick_b][at] + times[tick_w][at];
        here = here < all ? all : here;
      }
      most += here;
    }
    double longest = 0;
    for (const double each : messages) longest = longest < each ? each : longest;
    most += 2 * static_cast<double>(stages) * longest;
    most *= static_cast<double>(order.microbatches * order.slices);
    // Twice: whole ticks may come to more.
    if (!is_finite(2 * most)) fail(invalid_input("model", "the sum of all passes and transfers is not representable"));
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(most) >> 52U);
    const int biased = exponent + 1 - 50;  // 2^(floor(log2 most) + 1 - 50)
    if (most != 0 && biased < 1) fail(invalid_input("model", "its times are too small to be told apart"));
    if (most == 0) return;
    tick = std::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52U);
  }

  void fill_rows(const std::vector<double>& times, std::size_t rows) {
    rows_per_kind_ = rows;
    for (std::size_t s = 0; s < rows; ++s) {
      std::vector<double> sums(items + 1);
      for (std::size_t i = 0; i < items; ++i) sums[i + 1] = sums[i] + rounded(times[s * items + i]);
      rows_.push_back(std::move(sums));
    }
    if (messages_.empty()) messages_.emplace_back(items + 1);  // of boundaries within a rank: no time
  }

  std::size_t rows_per_kind_ = 1;
  std::vector<std::vector<double>> rows_{};
  std::vector<std::vector<double>> messages_{};
  std::vector<std::size_t> boundary_{};  // its row of messages
};

}  // namespace stagecut::inline v0::detail
