// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/minimize_placed_latency.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/label_program.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/baselines/detail/check_placed.hpp>
#include <stagecut/joint/baselines/detail/machine_states.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>
#include <stagecut/joint/detail/latency_program.hpp>
#include <stagecut/joint/detail/latency_search.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The part of a plan after a point, and its first stage.
struct placed_label : latency_label {
  std::uint32_t state = 0;
  std::uint32_t last = 0;  // the point where the first stage ends
  std::uint32_t from = 0;  // the label there
  std::uint32_t replicas = 0;
  placement how = placement::fresh;
  double rate = 0;  // of the message
};

/// Labels with the same state are compared.
struct placed_order {
  static constexpr bool two_figures = false;
  static constexpr std::size_t slack = 512;

  [[nodiscard]] static bool before(const placed_label& a, const placed_label& b) noexcept {
    if (a.state != b.state) return a.state < b.state;
    if (a.sum != b.sum) return a.sum < b.sum;
    if (a.exposed != b.exposed) return a.exposed < b.exposed;
    return a.is_below < b.is_below;
  }
  [[nodiscard]] static bool alike(const placed_label& a, const placed_label& b) noexcept { return a.state == b.state; }
  [[nodiscard]] static bool dominates(const placed_label& a, const placed_label& b) noexcept {
    return a.exposed <= b.exposed && a.is_below <= b.is_below;
  }
};

/// The program of `latency_search` for stages on machines: from the output to the input, over (point, devices taken on
/// each machine, and those taken by the last stage).
class placed_program {
 public:
  using label_type = placed_label;

  placed_program(const placed_layers& layers, const equal_machines& machines, bool at_most, bool all_reduce,
                 engine::search_clock& clock)
      : layers_(layers),
        machines_(machines),
        at_most_(at_most),
        clock_(clock),
        states_(machines),
        labels_(layers.times.size()) {
    terms_.messages = true;
    terms_.all_reduce = all_reduce;
  }

  [[nodiscard]] length_terms terms() const noexcept { return terms_; }

  bool run(double threshold, std::optional<double> less_than, double least_largest) {
    threshold_ = threshold;
    less_than_ = less_than;
    least_largest_ = least_largest;
    greatest_ = 0;
    placed_label none;
    none.is_below = terms_.all_reduce;
    return labels_.run({}, none, [this](std::size_t last) {
      if (layers_.begins.empty()) {
        for (std::size_t first = last; first-- > 0;) extend(first, last);
      } else {
        for (const std::size_t first : layers_.begins[last]) extend(first, last);
      }
      return !clock_.look();
    });
  }

  [[nodiscard]] const auto& found() const noexcept { return labels_[0]; }
  [[nodiscard]] double greatest() const noexcept { return greatest_; }
  [[nodiscard]] double largest_within(double threshold) const noexcept { return threshold; }

  /// The cut of a label of `found`; its messages are those after each stage.
  [[nodiscard]] std::vector<placed_stage> cut_of(const placed_label& whole) const {
    std::vector<placed_stage> stages;
    labels_.each_stage(whole, [&](std::size_t first, const placed_label& label, const placed_label& behind) {
      placed_stage stage{first, label.last, {}, label.how, {}};
      stage.option = option_of(first, label.last, label.replicas, step_of(label, behind));
      stages.push_back(stage);
    });
    place(stages);
    return stages;
  }

 private:
  [[nodiscard]] machine_states::step step_of(const placed_label& label, const placed_label& behind) const {
    machine_states::step step{label.state, label.how, label.rate, 0};
    const auto taken = placed_devices(machines_, states_[behind.state], label.how, label.replicas);
    step.all_reduce_rate = all_reduce_rate(machines_, *taken);
    return step;
  }

  [[nodiscard]] stage_option option_of(std::size_t first, std::size_t last, std::size_t replicas,
                                       const machine_states::step& step) const {
    stage_option option;
    option.replicas = replicas;
    option.time = (layers_.times[last] - layers_.times[first]) / static_cast<double>(replicas);
    option.message = layers_.messages[last] * step.message_rate;
    option.all_reduce = (layers_.parameters[last] - layers_.parameters[first]) * step.all_reduce_rate;
    return option;
  }

  void extend(std::size_t first, std::size_t last) {
    const std::size_t all = machines_.count * machines_.devices;
    for (std::size_t i = 0; i < labels_[last].size(); ++i) {
      if (clock_.over()) return;
      const placed_label behind = labels_[last][i];
      const std::size_t free = all - behind.devices;
      const std::size_t fewest = first == 0 && !at_most_ ? free : 1;
      const std::size_t most = first == 0 ? free : free - 1;
      for (std::size_t replicas = fewest; replicas > 0 && replicas <= most; ++replicas) {
        for (const machine_states::step& step : states_.steps(behind.state, replicas)) {
          clock_.work(1);
          add(first, last, behind, static_cast<std::uint32_t>(i), step, static_cast<std::uint32_t>(replicas));
        }
      }
    }
  }

  void add(std::size_t first, std::size_t last, const placed_label& behind, std::uint32_t from,
           const machine_states::step& step, std::uint32_t replicas) {
    const stage_option option = option_of(first, last, replicas, step);
    const double largest = terms_.largest(option);
    if (largest > threshold_) return;
    greatest_ = std::max(greatest_, largest);
    placed_label next;
    next.sum = terms_.summed(option) + behind.sum;
    if (!(next.sum <= std::numeric_limits<double>::max())) {
      fail(invalid_input("layers", "their times sum to more than a double holds"));
    }
    next.devices = behind.devices + replicas;
    const std::size_t free = machines_.count * machines_.devices - next.devices;
    const double rest = first == 0 ? 0 : layers_.times[first] / static_cast<double>(free);
    if (rest * (1 - 0x1p-30) > threshold_) return;
    if (less_than_ && (next.sum + rest + least_largest_) * (1 - 0x1p-30) >= *less_than_) return;
    if (terms_.all_reduce) {
      next.exposed = length_terms::exposed(option, behind.exposed, first == 0, threshold_);
      next.is_below = behind.is_below && largest < threshold_;
    }
    next.state = step.state;
    next.last = static_cast<std::uint32_t>(last);
    next.from = from;
    next.replicas = replicas;
    next.how = step.how;
    next.rate = step.message_rate;
    labels_.add(first, next);
  }

  /// Assigns machines to the stages, from the output on.
  void place(std::vector<placed_stage>& stages) const {
    machine_state state = states_[0];
    std::vector<std::size_t> machine;  // by place in the state
    for (std::size_t i = 0; i < machines_.count; ++i) machine.push_back(machines_.count - 1 - i);
    std::vector<std::size_t> order;
    for (std::size_t s = stages.size(); s-- > 0;) {
      const auto taken = placed_devices(machines_, state, stages[s].how, stages[s].option.replicas);
      stages[s].of_machine.resize(machines_.count);
      for (std::size_t i = 0; i < machines_.count; ++i) stages[s].of_machine[machine[i]] = (*taken)[i];
      state = next_state(state, *taken, order);
      std::vector<std::size_t> sorted;
      for (const std::size_t i : order) sorted.push_back(machine[i]);
      machine = sorted;
    }
  }

  const placed_layers& layers_;
  equal_machines machines_;
  bool at_most_;
  engine::search_clock& clock_;
  machine_states states_;
  engine::label_program<placed_label, placed_order> labels_;
  length_terms terms_{};
  double threshold_ = 0;
  double greatest_ = 0;
  double least_largest_ = 0;
  std::optional<double> less_than_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<placed_cut> minimize_placed_latency_fn::operator()(const placed_layers& layers,
                                                                        const placed_request& request) const {
  detail::check_placed("minimize_placed_latency", layers, request.machines);
  if (request.microbatches == 0) {
    detail::fail(argument_error("minimize_placed_latency", "request.microbatches", "0", "must be at least 1"));
  }
  return detail::recorded(request, [&](const placed_request& asked) { return solved(layers, asked); });
}

STAGECUT_DECL outcome<placed_cut> minimize_placed_latency_fn::solved(const placed_layers& layers,
                                                                     const placed_request& request) {
  using answer = outcome<placed_cut>;
  engine::search_clock clock(request.search);
  detail::placed_program program(layers, request.machines, request.at_most, request.all_reduce, clock);
  const auto devices = static_cast<double>(request.machines.count * request.machines.devices);
  detail::latency_search search(program, program.terms(), request.microbatches, layers.times.back() / devices, clock);
  search.run();
  if (!search.has_cut()) {
    return search.is_proved() ? answer::infeasible({reason::cause::constraint, 0, 0, "no stages lead from the input"})
                              : answer::unknown({reason::cause::limit_reached});
  }
  placed_cut cut{{search.cost(), search.bound(), {.searches = search.searches()}}, std::move(search.best())};
  for (std::size_t s = cut.stages.size(); s-- > 0;) {  // the program has messages after stages
    cut.stages[s].option.message = s > 0 ? cut.stages[s - 1].option.message : 0;
  }
  return search.is_proved() ? answer::optimal(std::move(cut)) : answer::feasible(std::move(cut));
}

}  // namespace stagecut::inline STAGECUT_ABI
