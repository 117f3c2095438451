// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// Slow and obvious: what an order says, and what a schedule must be.
namespace order {

/// The ops of a rank, `0F0 0F1 1B0`; a pair that overlaps is `(2F0 5B0)`.
inline std::string text(const std::vector<stagecut::op>& ops) {
  std::string result;
  bool paired = false;
  for (const stagecut::op& op : ops) {
    if (!result.empty()) result += ' ';
    if (op.with_next) result += '(';
    result += to_string(op);
    if (paired) result += ')';
    paired = op.with_next;
  }
  return result;
}

/// The same without the stages, where a rank has only one: `F0 F1 B0`.
inline std::string short_text(const std::vector<stagecut::op>& ops) {
  std::string result;
  for (const stagecut::op& op : ops) {
    const std::string whole = to_string(op);
    if (!result.empty()) result += ' ';
    result += whole.substr(whole.find_first_not_of("0123456789"));
  }
  return result;
}

/// The most microbatches, or slices of them, that each rank keeps at a time, from F to B or W.
inline std::vector<std::size_t> peaks(const stagecut::schedule& made) {
  std::vector<std::size_t> result;
  for (const std::vector<stagecut::op>& ops : made.orders) {
    std::size_t held = 0;
    std::size_t most = 0;
    for (const stagecut::op& op : ops) {
      if (op.kind == stagecut::op_kind::forward) most = std::max(most, ++held);
      if (op.kind == stagecut::op_kind::backward || op.kind == stagecut::op_kind::backward_weight) --held;
    }
    result.push_back(most);
  }
  return result;
}

/// What has been done, of every stage, microbatch and slice.
class record {
 public:
  explicit record(const stagecut::schedule& made)
      : stages_(made.stages()), microbatches_(made.microbatches), slices_(made.slices) {
    for (auto& time : times_) time.resize(stages_ * microbatches_ * slices_);
  }

  void add(const stagecut::op& each) { ++times_[static_cast<std::size_t>(each.kind)][place(each.stage, each)]; }

  /// How often, through that stage, for the microbatch and slice of `of`.
  [[nodiscard]] std::size_t count(stagecut::op_kind kind, std::size_t stage, const stagecut::op& of) const {
    return times_[static_cast<std::size_t>(kind)][place(stage, of)];
  }

  /// Whether an op has what it needs.
  [[nodiscard]] bool ready(stagecut::op each) const {
    using enum stagecut::op_kind;
    const std::size_t s = each.stage;
    stagecut::op beside = each;
    if (each.kind == forward) {
      if (each.slice > 0) beside.slice = each.slice - 1;
      return (s == 0 || count(forward, s - 1, each) != 0) && (each.slice == 0 || count(forward, s, beside) != 0);
    }
    if (each.kind == backward_weight) return count(backward_input, s, each) != 0;
    if (each.slice + 1 < slices_) beside.slice = each.slice + 1;
    const bool gradient = s + 1 == stages_ || count(backward, s + 1, each) + count(backward_input, s + 1, each) != 0;
    return count(forward, s, each) != 0 && gradient && (each.slice + 1 == slices_ || count(backward, s, beside) != 0);
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t stage, const stagecut::op& of) const {
    return (stage * microbatches_ + of.microbatch) * slices_ + of.slice;
  }

  std::size_t stages_;
  std::size_t microbatches_;
  std::size_t slices_;
  std::array<std::vector<std::size_t>, 4> times_{};
};

/// Whether every rank comes to the end of its order. Both ops of a pair that overlaps begin at once.
inline bool runs_to_the_end(const stagecut::schedule& made) {
  record done(made);
  std::vector<std::size_t> at(made.ranks());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < made.ranks(); ++r) {
      const auto& ops = made.orders[r];
      while (at[r] < ops.size() && done.ready(ops[at[r]]) && (!ops[at[r]].with_next || done.ready(ops.at(at[r] + 1)))) {
        if (ops[at[r]].with_next) done.add(ops[at[r]++]);
        done.add(ops[at[r]++]);
        moved = true;
      }
    }
  }
  for (std::size_t r = 0; r < made.ranks(); ++r) {
    if (at[r] != made.orders[r].size()) return false;
  }
  return true;
}

/// What is wrong with a schedule; empty: every stage runs each microbatch once, on its rank, F before B or I before W.
inline std::string problem(const stagecut::schedule& made) {
  using enum stagecut::op_kind;
  record done(made);
  for (std::size_t r = 0; r < made.ranks(); ++r) {
    for (std::size_t i = 0; i < made.orders[r].size(); ++i) {
      const stagecut::op& each = made.orders[r][i];
      const std::string here = stagecut::detail::joined({"rank ", r, ", ", to_string(each)});
      if (!is_compute(each.kind) || each.stage >= made.stages() || made.rank_of[each.stage] != r) return here;
      if (each.microbatch >= made.microbatches || each.slice >= made.slices) return here;
      const bool back = each.kind == backward || each.kind == backward_input;
      if (back && done.count(forward, each.stage, each) == 0) return here + " before F";
      if (each.kind == backward_weight && done.count(backward_input, each.stage, each) == 0) return here + " before I";
      if (each.with_next) {
        if (each.kind != forward || i + 1 == made.orders[r].size()) return here + " with what is no B";
        const stagecut::op& next = made.orders[r][i + 1];
        if (next.kind != backward || next.with_next || next.stage == each.stage) return here + " with what is no B";
      }
      done.add(each);
    }
  }
  for (std::size_t s = 0; s < made.stages(); ++s) {
    for (std::size_t unit = 0; unit < made.microbatches * made.slices; ++unit) {
      const stagecut::op of{forward, s, unit / made.slices, unit % made.slices};
      const std::size_t whole = done.count(backward, s, of);
      const std::size_t input = done.count(backward_input, s, of);
      if (done.count(forward, s, of) != 1) return to_string(of) + " is not run once";
      if (whole + input != 1 || done.count(backward_weight, s, of) != input) return to_string(of) + " does not go back";
    }
  }
  return {};
}

/// Whether a schedule is one at all: nothing missing, no deadlock.
inline bool is_legal(const stagecut::schedule& made) { return problem(made).empty() && runs_to_the_end(made); }

}  // namespace order
