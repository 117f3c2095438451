// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/trace_events.hpp>
#include <stagecut/io/tables/layer_ranges.hpp>

// The layers that launches of kernels belong to.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Whose a kernel is that a thread launches at some moment.
struct launch_owner {
  std::size_t run = no_index;  ///< of a layer; none: of no layer
  bool is_backward = false;
  bool accumulates = false;  ///< adds up gradients
};

/// Goes through all ranges, operators and launches in the order of time, as each thread nests them.
class owner_search {
 public:
  explicit owner_search(const trace_events& events)
      : events_(&events),
        runs_of_layer_(events.layer_names.texts.size()),
        backward_ranges_(events.layer_names.texts.size()),
        forward_runs_(events.operators.size(), no_index),
        owners(events.launches.size()) {}

  void run();

 private:
  /// What happens on the host, ranges and operators before launches.
  struct occurrence {
    double first;
    double last;
    enum : std::uint8_t { range, op, launch } kind;
    std::size_t index;
  };

  /// A range or operator that has not ended.
  struct open_range {
    double last = 0;
    launch_owner owner{};
    std::size_t forward_operator = no_index;  ///< of the operator of the backward pass around; none: unknown
    bool within_backward = false;             ///< within an operator of the backward pass
  };

  [[nodiscard]] std::vector<occurrence> in_order() const;
  void find_forward_threads();
  [[nodiscard]] open_range around(std::size_t thread, double moment, bool is_launch);
  void open(const layer_event& event);
  void open(const operator_event& event);
  void note_forward(std::size_t index, const open_range& outer);
  [[nodiscard]] std::size_t forward_of(const operator_event& event) const;
  [[nodiscard]] std::size_t run_of(const layer_event& event, const open_range& outer, bool states_backward);
  [[nodiscard]] std::size_t new_run(std::size_t layer);
  std::vector<open_range>& ranges_of(std::size_t thread);

  const trace_events* events_;
  std::vector<std::vector<open_range>> threads_{};
  std::vector<std::size_t> last_backward_{};                                // runs, by thread
  std::vector<std::vector<std::pair<double, std::size_t>>> runs_of_layer_;  // starts of forward passes
  std::vector<std::size_t> backward_ranges_;                                // ranges that state the pass, by layer
  std::vector<std::size_t> forward_runs_;                                   // by operator
  std::map<std::uint64_t, std::size_t> forward_threads_{};                  // by the profiler's number
  std::unordered_map<std::uint64_t, std::size_t> last_forward_{};           // operators, by number
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> last_forward_of_thread_{};
  std::map<host_moment, std::size_t> forward_at_{};  // operators, where flows start

 public:
  std::vector<launch_owner> owners;  ///< by launch
  std::vector<std::size_t> layer_of_run{};
};

inline std::vector<owner_search::occurrence> owner_search::in_order() const {
  std::vector<occurrence> all;
  all.reserve(events_->ranges.size() + events_->operators.size() + events_->launches.size());
  const auto add = [&](const auto& spans, auto kind) {
    for (std::size_t i = 0; i < spans.size(); ++i) all.push_back({spans[i].span.first, spans[i].span.last, kind, i});
  };
  add(events_->ranges, occurrence::range);
  add(events_->operators, occurrence::op);
  for (std::size_t i = 0; i < events_->launches.size(); ++i) {
    all.push_back({events_->launches[i].first, events_->launches[i].first, occurrence::launch, i});
  }
  std::sort(all.begin(), all.end(), [](const occurrence& a, const occurrence& b) {
    if (a.first != b.first) return a.first < b.first;
    const bool launches[2] = {a.kind == occurrence::launch, b.kind == occurrence::launch};
    if (launches[0] != launches[1]) return launches[1];
    if (a.last != b.last) return a.last > b.last;  // the outer one first
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  });
  return all;
}

/// Learns from flows which number the profiler gave to a forward thread.
inline void owner_search::find_forward_threads() {
  for (const operator_event& event : events_->operators) {
    if (event.forward_thread == 0) continue;
    const auto end = events_->flow_ends.find({event.thread, event.span.first});
    if (end == events_->flow_ends.end()) continue;
    const auto start = events_->flow_starts.find(end->second);
    if (start != events_->flow_starts.end()) forward_threads_.try_emplace(event.forward_thread, start->second.first);
  }
  for (const auto& [number, moment] : events_->flow_starts) forward_at_.try_emplace(moment, no_index);
}

inline void owner_search::run() {
  find_forward_threads();
  for (const occurrence& next : in_order()) {
    if (next.kind == occurrence::range) {
      open(events_->ranges[next.index]);
    } else if (next.kind == occurrence::launch) {
      const launch_event& event = events_->launches[next.index];
      owners[next.index] = around(event.thread, event.first, true).owner;
    } else if (const operator_event& event = events_->operators[next.index]; event.is_backward) {
      open(event);
    } else {
      note_forward(next.index, around(event.thread, event.span.first, false));
    }
  }
}

inline std::vector<owner_search::open_range>& owner_search::ranges_of(std::size_t thread) {
  if (threads_.size() <= thread) {
    threads_.resize(thread + 1);
    last_backward_.resize(thread + 1, no_index);
  }
  return threads_[thread];
}

/// The innermost range around a moment. One that ends at that moment still contains a launch.
inline owner_search::open_range owner_search::around(std::size_t thread, double moment, bool is_launch) {
  auto& open = ranges_of(thread);
  while (!open.empty() && (open.back().last < moment || (open.back().last == moment && !is_launch))) open.pop_back();
  return open.empty() ? open_range{} : open.back();
}

inline std::size_t owner_search::new_run(std::size_t layer) {
  layer_of_run.push_back(layer);
  return layer_of_run.size() - 1;
}

inline void owner_search::open(const layer_event& event) {
  open_range inner = around(event.thread, event.span.first, false);
  const bool states_backward = event.pass == range_pass::backward;
  inner.owner.run = run_of(event, inner, states_backward);
  inner.owner.is_backward = inner.owner.is_backward || states_backward;
  inner.last = event.span.last;
  ranges_of(event.thread).push_back(inner);
}

/// The run that a range belongs to: the one around it, if it is of the same layer; within the backward pass an earlier
/// one; else a new one.
inline std::size_t owner_search::run_of(const layer_event& event, const open_range& outer, bool states_backward) {
  if (outer.owner.run != no_index && layer_of_run[outer.owner.run] == event.layer) return outer.owner.run;
  auto& runs = runs_of_layer_[event.layer];
  if (outer.within_backward) {
    // Recomputation: the last run before the forward operator ended whose gradient asks for it.
    if (outer.forward_operator == no_index) return new_run(event.layer);
    const double moment = events_->operators[outer.forward_operator].span.last;
    const auto behind = std::upper_bound(runs.begin(), runs.end(), std::pair(moment, no_index));
    return behind == runs.begin() ? new_run(event.layer) : (behind - 1)->second;
  }
  if (states_backward) {
    // Passes of microbatches are run in the same order: the k-th range is of the k-th run.
    const std::size_t k = backward_ranges_[event.layer]++;
    return k < runs.size() ? runs[k].second : new_run(event.layer);
  }
  const std::size_t run = new_run(event.layer);
  runs.emplace_back(event.span.first, run);
  return run;
}

/// The forward operator of one of the backward pass.
inline std::size_t owner_search::forward_of(const operator_event& event) const {
  if (const auto end = events_->flow_ends.find({event.thread, event.span.first}); end != events_->flow_ends.end()) {
    const auto start = events_->flow_starts.find(end->second);
    const std::size_t found = start == events_->flow_starts.end() ? no_index : forward_at_.at(start->second);
    if (found != no_index) return found;
  }
  if (!event.sequence) return no_index;
  if (const auto thread = forward_threads_.find(event.forward_thread); thread != forward_threads_.end()) {
    const auto found = last_forward_of_thread_.find({thread->second, *event.sequence});
    return found == last_forward_of_thread_.end() ? no_index : found->second;
  }
  const auto found = last_forward_.find(*event.sequence);
  return found == last_forward_.end() ? no_index : found->second;
}

inline void owner_search::open(const operator_event& event) {
  open_range inner = around(event.thread, event.span.first, false);
  std::size_t& last_run = last_backward_[event.thread];
  if (const std::size_t forward = forward_of(event); forward != no_index) {
    inner.forward_operator = forward;
    if (forward_runs_[forward] != no_index) inner.owner.run = forward_runs_[forward];
    last_run = inner.owner.run;
  } else if (event.accumulates && inner.owner.run == no_index) {
    inner.owner.run = last_run;
  }
  inner.owner.is_backward = true;
  inner.owner.accumulates = inner.owner.accumulates || event.accumulates;
  inner.within_backward = true;
  inner.last = event.span.last;
  ranges_of(event.thread).push_back(inner);
}

inline void owner_search::note_forward(std::size_t index, const open_range& outer) {
  const operator_event& event = events_->operators[index];
  forward_runs_[index] = outer.owner.run;
  last_forward_[*event.sequence] = index;
  last_forward_of_thread_[{event.thread, *event.sequence}] = index;
  const auto flow = forward_at_.find({event.thread, event.span.first});
  if (flow != forward_at_.end()) flow->second = index;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
