// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Maps ops to indices in a table of durations. Element 0 is zero time.
class duration_table {
 public:
  duration_table() = default;
  duration_table(const schedule& order, const task_options& options);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The index of F, B, I or W.
  [[nodiscard]] std::uint32_t pass(const op& each) const noexcept {
    return position(each.kind, each.stage, variant(each));
  }

  /// The index of an F and the B that runs with it; searches the `pairs` of that stage and variant of F first.
  [[nodiscard]] std::uint32_t pair(const op& forward, const op& backward);

  /// The index of a message along an edge, or against it.
  [[nodiscard]] std::uint32_t message(bool forward, std::size_t edge) const noexcept {
    return static_cast<std::uint32_t>(transfers_ + (forward ? edge : edges_ + edge));
  }
  /// The index of a message from `stage` of a chain to the next or previous one.
  [[nodiscard]] std::uint32_t transfer(bool forward, std::size_t stage) const noexcept {
    return message(forward, forward ? stage : stage - 1);
  }

  [[nodiscard]] std::uint32_t all_reduce(std::size_t stage) const noexcept {
    return static_cast<std::uint32_t>(all_reduces_ + stage);
  }
  [[nodiscard]] std::uint32_t optimizer_step(std::size_t rank) const noexcept {
    return static_cast<std::uint32_t>(steps_ + rank);
  }

  /// Writes the durations into `table`, of length `size()`.
  /// @throws invalid_input for wrong lengths, and for values that are NaN, infinite, negative or not representable
  template <class T>
  void fill(const pass_times<T>& times, const transfer_times<T>& transfers, view<T> table) const {
    table[0] = T{};
    fill_passes(op_kind::forward, "forward", times.forward, table);
    const bool sum = times.backward.empty() && !times.backward_input.empty();  // B is I and W
    const bool needed = sum && used(op_kind::backward);
    fill_passes(op_kind::backward_input, "backward_input", times.backward_input, table, needed);
    fill_passes(op_kind::backward_weight, "backward_weight", times.backward_weight, table, needed);
    if (needed) {
      const std::size_t all = stages_ * variants_;
      const std::size_t whole = position(op_kind::backward, 0, 0);
      for (std::size_t i = whole; i < whole + all; ++i)
        table[i] = detail::duration_sum(table[i + all], table[i + 2 * all]);
    } else {
      fill_passes(op_kind::backward, "backward", times.backward, table);
    }
    fill_pairs(times, table);
    const bool messages = !transfers.forward.empty() || !transfers.backward.empty();
    if (messages && !options_.with_transfers) refuse_unasked("transfers", "are left out of");
    if (messages && transfers.kind != options_.transfers) refuse_unasked("transfers.kind", "differs from");
    if (options_.with_transfers) {
      fill_messages("transfers.forward", transfers.forward, table.data() + transfers_);
      fill_messages("transfers.backward", transfers.backward, table.data() + transfers_ + edges_);
    }
    fill_each("all_reduce", times.all_reduce, options_.all_reduce, table.slice(all_reduces_, steps_));
    fill_each("optimizer_step", times.optimizer_step, options_.optimizer_step, table.slice(steps_, steps_ + ranks_));
  }

 private:
  [[nodiscard]] bool used(op_kind kind) const noexcept { return used_[static_cast<std::size_t>(kind)]; }

  [[nodiscard]] std::size_t variant(const op& each) const noexcept {
    return options_.by_microbatch ? each.microbatch * slices_ + each.slice : options_.by_slice ? each.slice : 0;
  }

  [[nodiscard]] std::uint32_t position(op_kind kind, std::size_t stage, std::size_t variant) const noexcept {
    return static_cast<std::uint32_t>(1 + (static_cast<std::size_t>(kind) * stages_ + stage) * variants_ + variant);
  }

  /// One per stage, or stage and slice, or stage, microbatch and slice.
  template <class T>
  void fill_passes(op_kind kind, std::string_view name, const std::vector<T>& values, view<T> table,
                   bool needed = false) const {
    if (values.empty() && !needed && !used(kind)) return;
    const std::size_t all = stages_ * microbatches_ * slices_;
    if (values.size() != stages_ && values.size() != stages_ * slices_ && values.size() != all) {
      fail(invalid_input(name, joined({"has ", values.size(), " elements, the schedule has ", stages_, " stages",
                                       values.empty() ? " that need it" : ""})));
    }
    detail::check_durations(name, values);
    const std::size_t each = stages_ == 0 ? 0 : values.size() / stages_;
    if (each > variants_) {
      fail(invalid_input(name, "differs by slice or microbatch, for which the task graph was not made"));
    }
    T* const to = table.data() + position(kind, 0, 0);
    if (each == variants_) {
      for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
      return;
    }
    for (std::size_t s = 0; s < stages_; ++s) {
      for (std::size_t v = 0; v < variants_; ++v) {
        to[s * variants_ + v] = values[s * each + (each == slices_ ? v % slices_ : 0)];
      }
    }
  }

  template <class T>
  void fill_pairs(const pass_times<T>& times, view<T> table) const {
    if (!times.overlapped.empty()) refuse_length("overlapped", times.overlapped.size(), stages_);
    detail::check_durations("overlapped", times.overlapped);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto [forward, backward] = pairs_[i];
      table[steps_ + ranks_ + i] = times.overlapped.empty() ? detail::duration_sum(table[forward], table[backward])
                                                            : times.overlapped[(forward - 1) / variants_];
    }
  }

  /// One per edge, or one for all.
  template <class T>
  void fill_messages(std::string_view name, const std::vector<T>& values, T* table) const {
    if (values.size() > 1) refuse_length(name, values.size(), edges_);
    detail::check_durations(name, values);
    for (std::size_t e = 0; e < edges_; ++e) {
      table[e] = values.size() == edges_ ? values[e] : values.empty() ? T{} : values[0];
    }
  }

  template <class T>
  static void fill_each(std::string_view name, const std::vector<T>& values, bool wanted, view<T> table) {
    if (!wanted && !values.empty()) refuse_unasked(name, "are left out of");
    if (!wanted) return;
    refuse_length(name, values.size(), table.size());
    detail::check_durations(name, values);
    for (std::size_t i = 0; i < values.size(); ++i) table[i] = values[i];
  }

  std::size_t stages_ = 0;
  std::size_t edges_ = 0;
  std::size_t ranks_ = 0;
  std::size_t slices_ = 1;
  std::size_t microbatches_ = 0;
  task_options options_{};
  std::size_t variants_ = 1;  // number of different durations of a stage's passes
  bool used_[4] = {};         // whether the schedule has F, B, I, W
  // The table: 0; F of every stage and variant, B, I, W; messages of every edge forward, backward; all-reduces; steps;
  // pairs.
  std::size_t transfers_ = 0;
  std::size_t all_reduces_ = 0;
  std::size_t steps_ = 0;
  std::size_t size_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_{};  // positions of F and B
  std::vector<std::uint32_t> latest_pair_{};                      // per F
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/duration_table.ipp>
#endif
