// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

namespace joint_tests {

/// Layers whose stages run on a few replicas and ways, in two ways, with links that repeat.
struct hybrid_layers {
  struct layer {
    double time[2], kept[2];
    double resident, message, parameters;
  };
  std::vector<layer> layers;
  std::vector<std::pair<std::size_t, std::size_t>> shapes;  // replicas and ways
  std::vector<double> waste = std::vector<double>(8);       // of each shape, eighths of the work
  std::vector<double> links{0};                             // of the last device, added once for every replica
  bool tells_work = false;
  mutable std::size_t asked = 0;

  [[nodiscard]] std::size_t size() const { return layers.size(); }
  [[nodiscard]] std::size_t period() const { return links.size(); }

  [[nodiscard]] double least_work(std::size_t point) const {
    double work = 0;
    for (std::size_t i = 0; tells_work && i < point; ++i) work += std::min(layers[i].time[0], layers[i].time[1]);
    return work;
  }

  template <class Visit>
  void each_option(const stagecut::stage_query& query, const Visit& visit) const {
    ++asked;
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const auto [replicas, ways] = shapes[shape];
      for (std::size_t choice = 0; choice < 2; ++choice) {
        stagecut::stage_option option{replicas, ways, choice};
        const auto devices = static_cast<double>(replicas * ways);
        double work = 0;
        for (std::size_t i = query.first; i < query.last; ++i) {
          work += layers[i].time[choice];
          option.activations += layers[i].kept[choice];
          option.resident += layers[i].resident / static_cast<double>(ways);
          option.all_reduce += replicas > 1 ? layers[i].parameters : 0;
        }
        option.time = work / devices + work * waste[shape] / 8 + links[query.device % links.size()] * (devices - 1) / 4;
        option.message = query.first > 0 ? layers[query.first].message : 0;
        if (option.time <= query.most_time) visit(option);
      }
    }
  }
};

/// The same, with some stages impossible.
struct some_stages : hybrid_layers {
  std::uint64_t without = 0;

  [[nodiscard]] bool has(std::size_t first, std::size_t last) const {
    return ((without >> ((first * 7 + last * 3) % 61)) & 1U) == 0;
  }

  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    for (std::size_t first = last; first-- > 0;) {
      if (has(first, last) && !visit(first, stagecut::detail::options_between<hybrid_layers>{*this})) return;
    }
  }
};

struct hybrid_case {
  some_stages model;
  stagecut::hybrid_request request;
  bool messages = false;
  bool all_reduce = false;
};

/// A random case; `whole`: of figures with many ties, else of doubles.
inline hybrid_case drawn_hybrid(std::mt19937& dice, std::size_t most_layers, std::size_t most_devices) {
  const auto draw = [&dice](std::size_t least, std::size_t most) { return least + dice() % (most - least + 1); };
  const bool whole = dice() % 2 == 0;
  const std::size_t range = dice() % 2 == 0 ? 4 : 20;
  const auto figure = [&](std::size_t least, std::size_t most) {
    const auto drawn = static_cast<double>(draw(least, most));
    return whole ? drawn : drawn + static_cast<double>(dice() % 1000) / 1009;
  };
  hybrid_case made;
  made.request.devices = draw(1, most_devices);
  for (std::size_t i = draw(1, most_layers); i > 0; --i) {
    const double time = 8 * figure(1, range);
    const double kept = figure(1, 9);
    made.model.layers.push_back({{time, time + 8 * figure(0, 3)},
                                 {kept, kept / static_cast<double>(draw(1, 3))},
                                 figure(0, 9),
                                 figure(0, range),
                                 figure(0, 12 * range)});
  }
  made.model.shapes = {{1, 1}};
  for (const auto& each : {std::pair{2, 1}, {1, 2}, {3, 1}, {4, 1}, {2, 2}, {1, 4}, {8, 1}}) {
    if (dice() % 2 == 0) made.model.shapes.emplace_back(each);
  }
  const std::size_t wasted = dice() % 3 * 3;
  for (double& each : made.model.waste) each = wasted == 0 ? 0 : figure(0, wasted);
  if (dice() % 3 == 0) {
    std::size_t period = draw(1, made.request.devices);
    while (made.request.devices % period != 0) --period;
    made.model.links.clear();
    while (made.model.links.size() < period) made.model.links.push_back(4 * figure(0, 6));
  }
  made.model.tells_work = dice() % 2 == 0;
  if (dice() % 4 == 0)
    made.model.without = (std::uint64_t{dice()} << 32U | dice()) & (std::uint64_t{dice()} << 32U | dice());
  made.request.microbatches = draw(1, 8);
  made.request.at_most = dice() % 2 == 0;
  if (dice() % 4 == 0) made.request.stages = draw(1, 4);
  if (dice() % 3 != 0) made.request.memory_limit = figure(5, 90);
  made.request.in_flight_rule = dice() % 2 == 0 ? stagecut::in_flight_rule::stages : stagecut::in_flight_rule::replicas;
  made.messages = dice() % 3 == 0;
  made.all_reduce = dice() % 3 == 0;
  if (made.all_reduce) made.request.microbatches = draw(1, 3);
  return made;
}

/// Calls `visit(stages)` for all cuts on at most all devices, with all their options; memory is not looked at.
template <class Model, class Visit>
void each_hybrid(const Model& model, const stagecut::hybrid_request& request, const Visit& visit) {
  std::vector<stagecut::hybrid_stage> stages;  // from the output
  const auto extend = [&](const auto& self, std::size_t last, std::size_t free) -> void {
    if (last == 0) {
      if (!request.at_most && free > 0) return;
      if (request.stages && stages.size() != *request.stages) return;
      visit(std::vector<stagecut::hybrid_stage>(stages.rbegin(), stages.rend()));
      return;
    }
    if (free == 0) return;
    for (std::size_t first = last; first-- > 0;) {
      if (!model.has(first, last)) continue;
      const std::size_t period = model.period();
      const stagecut::stage_query query{first, last, free % period == 0 ? period : free % period};
      model.each_option(query, [&](const stagecut::stage_option& option) {
        if (option.devices() > free) return;
        stages.push_back({first, last, free - option.devices(), option});
        self(self, first, free - option.devices());
        stages.pop_back();
      });
    }
  };
  extend(extend, model.size(), request.devices);
}

/// Bytes that the fullest device needs.
inline double bytes_of(const stagecut::hybrid_request& request, const std::vector<stagecut::hybrid_stage>& stages) {
  double most = 0;
  std::size_t replicas = 0;
  for (std::size_t s = stages.size(); s-- > 0;) {
    const stagecut::stage_option& option = stages[s].option;
    replicas += option.replicas;
    const std::size_t in_flight = request.in_flight_rule == stagecut::in_flight_rule::stages
                                      ? std::min(request.microbatches, stages.size() - s)
                                      : (replicas + option.replicas - 1) / option.replicas;
    most = std::max(most, option.resident + option.activations * static_cast<double>(in_flight));
  }
  return most;
}

/// When the iteration of a cut ends, by the library's simulator.
inline double makespan_of(const std::vector<stagecut::hybrid_stage>& stages, std::size_t microbatches) {
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> messages;
  for (const stagecut::hybrid_stage& stage : stages) {
    times.forward.push_back(stage.option.forward);
    times.backward.push_back(stage.option.backward);
    times.all_reduce.push_back(stage.option.all_reduce);
    if (times.forward.size() == 1) continue;
    messages.forward.push_back(stage.option.message);
    messages.backward.push_back(stage.option.message);
  }
  return stagecut::simulate(stagecut::one_forward_one_backward(stages.size(), microbatches), times, messages).makespan;
}

/// What a cut costs, and by what equal ones are told apart.
struct length_of_cut {
  double cost = 0, sum = 0;
};

inline length_of_cut length_of(const hybrid_case& of, const std::vector<stagecut::hybrid_stage>& stages) {
  double sum = 0;
  double largest = 0;
  for (std::size_t s = stages.size(); s-- > 0;) {
    const stagecut::stage_option& option = stages[s].option;
    const double messages = of.messages ? 2 * option.message : 0;
    sum = (option.time + messages) + sum;
    largest = std::max({largest, option.time, messages});
  }
  double cost = sum + static_cast<double>(of.request.microbatches - 1) * largest;
  double exposed = 0;
  for (std::size_t s = 0; of.all_reduce && s < stages.size(); ++s) {
    double here = stages[s].option.all_reduce;
    for (std::size_t i = 0; i < s; ++i) here -= largest;
    exposed = std::max(exposed, here);
  }
  return {cost + exposed, sum};
}

/// Whether one cut is before another, by the rule for ties, of as great a sum.
inline bool is_before(const std::vector<stagecut::hybrid_stage>& a, const std::vector<stagecut::hybrid_stage>& b) {
  if (a.front().first_device != b.front().first_device) return a.front().first_device > b.front().first_device;
  for (std::size_t s = 0; s < a.size() && s < b.size(); ++s) {
    const auto key = [](const stagecut::hybrid_stage& x) {
      return std::tuple(x.last, x.option.replicas, x.option.tensor_parallel, x.option.choice);
    };
    if (key(a[s]) != key(b[s])) return key(a[s]) < key(b[s]);
  }
  return false;
}

}  // namespace joint_tests
