// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

// The worth of one per cent less of something.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Simulates a plan repeatedly with one of its figures a per cent smaller.
class price_list {
 public:
  price_list(const explained_plan& of, const search_options& limits)
      : of_(of),
        clock_(limits.time_limit, limits.stop),
        changed_(of.made()),
        split_(has_kind(of.order(), op_kind::backward_input)),
        times_(stagecut::times_of(changed_, split_)),
        transfers_(transfers_of(changed_)),
        graph_(of.order(), detail::options_of(of.order(), times_, transfers_)),
        makespan_(graph_.makespan(times_, transfers_, workspace_)) {}

  [[nodiscard]] shadow_prices prices() {
    shadow_prices result;
    const plan& made = of_.made();
    for (std::size_t s = 0; s < made.stages.size(); ++s) add_layers(s, result.layers);
    for (std::size_t d = 0; d < made.devices && !clock_.over(); ++d) result.devices.push_back(device(d));
    for (std::size_t b = 0; b < transfers_.forward.size() && !clock_.over(); ++b) {
      result.links.push_back(link(b, b + 1));
    }
    if (clock_.over()) return {.unknown = "there was no time to simulate all of them"};
    result.all_links = link(0, transfers_.forward.size());
    result.update = update();
    return result;
  }

 private:
  static constexpr double rest = 0.99;

  /// The reduction of the iteration with other figures.
  [[nodiscard]] double saved(const pass_times<double>& times, const transfer_times<double>& transfers) {
    return makespan_ - graph_.makespan(times, transfers, workspace_);
  }

  /// The reduction for the changed plan.
  [[nodiscard]] double saved_now() { return saved(stagecut::times_of(changed_, split_), transfers_); }

  static void lessen(layer& each) {
    each.forward *= rest;
    each.backward *= rest;
    if (each.backward_input) *each.backward_input *= rest;
    if (each.backward_weight) *each.backward_weight *= rest;
  }

  /// Adds the prices of a stage's layers; equal layers have the same price.
  void add_layers(std::size_t s, std::vector<double>& into) {
    const interval layers = changed_.cuts.stage(s);
    const planned_stage before = changed_.stages[s];
    for (std::size_t i = layers.first; i < layers.last && !clock_.over(); ++i) {
      layer& here = changed_.profile.layers[i];
      std::size_t like = layers.first;
      while (like < i && !alike(changed_.profile.layers[like], here)) ++like;
      if (like < i) {
        into.push_back(into[like]);
        continue;
      }
      const layer as_it_was = here;
      lessen(here);
      of_.remake(changed_, s);
      into.push_back(saved_now());
      here = as_it_was;
      changed_.stages[s] = before;
    }
  }

  [[nodiscard]] static bool alike(const layer& a, const layer& b) noexcept {
    return a.forward == b.forward && a.backward == b.backward && a.backward_input == b.backward_input &&
           a.backward_weight == b.backward_weight;
  }

  [[nodiscard]] double device(std::size_t d) {
    const std::vector<planned_stage> before = changed_.stages;
    for (planned_stage& stage : changed_.stages) {
      if (stage.device != d) continue;
      stage.forward *= rest;
      stage.backward *= rest;
      if (stage.backward_kept) *stage.backward_kept *= rest;
      if (stage.backward_input) *stage.backward_input *= rest;
      if (stage.backward_weight) *stage.backward_weight *= rest;
    }
    const double result = saved_now();
    changed_.stages = before;
    return result;
  }

  /// The price of the messages over the boundaries `[first, last)`.
  [[nodiscard]] double link(std::size_t first, std::size_t last) {
    transfer_times<double> less = transfers_;
    for (std::size_t b = first; b < last; ++b) less.forward[b] *= rest;
    less.backward = less.forward;
    return saved(times_, less);
  }

  [[nodiscard]] double update() {
    pass_times<double> less = times_;
    for (double& each : less.all_reduce) each *= rest;
    return saved(less, transfers_);
  }

  const explained_plan& of_;
  deadline clock_;
  plan changed_;
  bool split_;
  pass_times<double> times_;
  transfer_times<double> transfers_;
  task_graph graph_;
  simulation_workspace<double> workspace_{};
  double makespan_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
