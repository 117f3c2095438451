// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulation.hpp>

// The boxes of a timeline: one per op, or if those would be too narrow to see, one for each colour of several ops.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The position of the times and ranks of a timeline, in pixels.
struct timeline_place {
  double left = 0;
  double width = 0;
  double until = 1;  // the time at `width`
  double top = 0;
  double row = 0;
  double gap = 0;

  [[nodiscard]] double x(double time) const noexcept { return left + width * (time / until); }
  [[nodiscard]] double y(std::size_t rank) const noexcept { return top + static_cast<double>(rank) * (row + gap); }
  [[nodiscard]] double bottom(std::size_t ranks) const noexcept { return y(ranks) - gap; }
};

/// A coloured part of a row.
struct op_box {
  double first = 0;
  double last = 0;
  double top = 0;
  double bottom = 0;
  op_kind kind = op_kind::forward;
  std::size_t chunk = 0;
  const timed_op<double>* whole = nullptr;  // the op, if it shows exactly one
};

/// The duration of the shortest op that takes time; 0 if there is none.
[[nodiscard]] inline double shortest_op(const simulation<double>& run) {
  double shortest = 0;
  for (const auto& rank : run.ops) {
    for (const auto& op : rank) {
      const double time = op.end - op.start;
      if (time > 0 && (shortest == 0 || time < shortest)) shortest = time;
    }
  }
  return shortest;
}

/// Whether ops are too narrow for separate boxes.
[[nodiscard]] inline bool is_crowded(const simulation<double>& run, const timeline_place& place) {
  const double shortest = place.x(shortest_op(run)) - place.x(0);
  return shortest > 0 && shortest < 1.2;
}

/// Adds the all-reduces and the optimizer's step of a rank, below concurrent computation.
inline void add_updates(std::vector<op_box>& to, const simulation<double>& run, const timeline_place& place,
                        view<const std::size_t> chunks, std::size_t rank) {
  const timed_ops ops = of_rank(run.ops, rank);
  const double computed = ops.empty() ? 0 : ops[ops.size() - 1].end;
  for (const timed_op<double>& op : of_rank(run.updates, rank)) {
    const double top = place.y(rank) + (op.start < computed ? 0.7 : 0) * place.row;
    const bool step = op.what.kind == op_kind::optimizer_step;
    to.push_back({place.x(op.start), place.x(op.end), top, place.y(rank) + place.row, op.what.kind,
                  step ? 0 : chunks[op.what.stage], &op});
  }
}

/// A box for each op of a rank. If two run together, the first has the upper half of the row.
[[nodiscard]] inline std::vector<op_box> op_boxes(const simulation<double>& run, const timeline_place& place,
                                                  view<const std::size_t> chunks, std::size_t rank) {
  std::vector<op_box> result;
  const double top = place.y(rank);
  bool second = false;
  for (const timed_op<double>& op : of_rank(run.ops, rank)) {
    const bool first = op.what.with_next;
    result.push_back({place.x(op.start), place.x(op.end), top + (second ? place.row / 2 : 0),
                      top + (first ? place.row / 2 : place.row), op.what.kind, chunks[op.what.stage], &op});
    second = first;
  }
  add_updates(result, run, place, chunks, rank);
  std::erase_if(result, [](const op_box& box) { return box.last <= box.first; });
  return result;
}

/// Boxes of ops in close succession, stacked, with heights by their share of the time.
class crowd {
 public:
  crowd(const timeline_place& place, std::size_t rank) : place_(place), rank_(rank) {}

  /// Whether an op joins the current group: a group ends where, once wide enough, it would start anew.
  [[nodiscard]] bool takes(const timed_op<double>& each, std::size_t chunk) const {
    if (parts_.empty()) return true;
    const double width = place_.x(each.start) - place_.x(start_);
    if (place_.x(each.start) - place_.x(end_) > 2 || width > 16) return false;
    return width < 4 || parts_[0].kind != each.what.kind || parts_[0].chunk != chunk;
  }

  void add(const timed_op<double>& each, std::size_t chunk, bool half) {
    if (parts_.empty()) start_ = each.start;
    end_ = std::max(end_, each.end);
    const double time = (each.end - each.start) * (half ? 0.5 : 1);
    for (part& known : parts_) {
      if (known.kind == each.what.kind && known.chunk == chunk) return void(known.time += time);
    }
    parts_.push_back({each.what.kind, chunk, time});
  }

  /// Adds the boxes, which extend to `until`, and starts anew.
  void flush(std::vector<op_box>& to, double until) {
    if (end_ < until && place_.x(until) - place_.x(end_) <= 2) end_ = until;
    // The same order everywhere, so that neighbours match.
    std::sort(parts_.begin(), parts_.end(),
              [](const part& a, const part& b) { return a.kind != b.kind ? a.kind < b.kind : a.chunk < b.chunk; });
    double top = place_.y(rank_);
    for (const part& each : parts_) {
      const double height = end_ > start_ ? place_.row * (each.time / (end_ - start_)) : 0;
      if (height > 0) to.push_back({place_.x(start_), place_.x(end_), top, top + height, each.kind, each.chunk});
      top += height;
    }
    parts_.clear();
  }

 private:
  struct part {
    op_kind kind;
    std::size_t chunk;
    double time;
  };

  timeline_place place_;
  std::size_t rank_;
  std::vector<part> parts_{};
  double start_ = 0;
  double end_ = 0;
};

/// The boxes of a rank whose ops are too narrow to see.
[[nodiscard]] inline std::vector<op_box> crowded_boxes(const simulation<double>& run, const timeline_place& place,
                                                       view<const std::size_t> chunks, std::size_t rank) {
  std::vector<op_box> result;
  crowd together(place, rank);
  bool second = false;
  for (const timed_op<double>& op : of_rank(run.ops, rank)) {
    const std::size_t chunk = chunks[op.what.stage];
    if (!second && !together.takes(op, chunk)) together.flush(result, op.start);
    together.add(op, chunk, second || op.what.with_next);
    second = op.what.with_next;
  }
  together.flush(result, 0);
  add_updates(result, run, place, chunks, rank);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
