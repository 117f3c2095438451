// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>

namespace joint_tests {

/// A model and what is asked of it, small enough to try everything.
struct small_case {
  stagecut::recompute_model model;
  stagecut::recompute_request request;
};

inline std::size_t drawn(std::mt19937& dice, std::size_t low, std::size_t high) {
  return low + dice() % (high - low + 1);
}

inline stagecut::layer_type drawn_type(std::mt19937& dice, std::size_t choices) {
  stagecut::layer_type type;
  type.forward = static_cast<double>(drawn(dice, 1, 20));
  type.resident = static_cast<double>(drawn(dice, 0, 5));
  double more = 0;
  double kept = static_cast<double>(drawn(dice, choices, 9));
  for (std::size_t r = 0; r < choices; ++r) {
    type.choices.push_back({"c" + std::to_string(r), 2 * type.forward + more, 0, kept});
    more += static_cast<double>(drawn(dice, 1, 6));
    kept = std::max(0.0, kept - static_cast<double>(drawn(dice, 1, 3)));
  }
  return type;
}

inline stagecut::schedule drawn_order(std::mt19937& dice, std::size_t ranks, std::size_t chunks) {
  const std::size_t some[] = {ranks, 2 * ranks, ranks + 1};
  const std::size_t m = some[drawn(dice, 0, 2)];
  if (chunks == 1) return stagecut::one_forward_one_backward(ranks, m);
  return stagecut::sapp_interleaved(ranks, chunks, m,
                                    dice() % 2 == 0 ? stagecut::sapp_memory::big : stagecut::sapp_memory::less);
}

/// What every rank needs, in an order that is walked, for every choice of layers.
inline double peak_of(const small_case& drawn, std::size_t rank, const std::vector<std::size_t>& points,
                      const std::vector<std::size_t>& choices) {
  const stagecut::recompute_model& model = drawn.model;
  const stagecut::schedule& order = drawn.request.schedule;
  double now = drawn.request.constant;
  std::vector<double> kept(order.stages());
  std::vector<double> room(order.stages());        // of the layer that needs most
  std::vector<double> while_whole(order.stages());  // with what it computes again
  std::vector<double> apart(order.stages());       // computed again by all layers
  const auto add = [&](std::size_t s, const stagecut::layer_type& type, std::size_t choice) {
    if (order.rank_of[s] == rank) now += type.resident;
    const stagecut::recompute_choice none;
    const stagecut::recompute_choice& way = choice < type.choices.size() ? type.choices[choice] : none;
    const double needs = std::max(type.workspace, way.workspace);
    kept[s] += way.activations;
    apart[s] += way.recomputed_apart;
    room[s] = std::max(room[s], needs);
    while_whole[s] = std::max(while_whole[s], needs + way.recomputed_whole);
  };
  for (std::size_t s = 0; s < order.stages(); ++s) {
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) add(s, model.types[model.layers[i]], choices[i]);
    if (s == 0) add(s, model.head, 0);
    if (s + 1 == order.stages()) add(s, model.tail, 0);
    if (order.rank_of[s] == rank) now += room[s];
  }
  double peak = now;
  for (const stagecut::op& op : order.orders[rank]) {
    const std::size_t s = op.stage;
    if (op.kind == stagecut::op_kind::forward) now += kept[s];
    if (op.kind == stagecut::op_kind::backward_input) now += apart[s];
    peak = std::max(peak, op.kind == stagecut::op_kind::backward ? now + while_whole[s] - room[s] : now);
    if (op.kind == stagecut::op_kind::backward) now -= kept[s];
    if (op.kind == stagecut::op_kind::backward_weight) now -= kept[s] + apart[s];
  }
  return peak;
}

/// The makespan, of passes added up one by one.
inline double makespan_of(const small_case& drawn, const std::vector<std::size_t>& points,
                          const std::vector<std::size_t>& choices) {
  const stagecut::recompute_model& model = drawn.model;
  const stagecut::schedule& order = drawn.request.schedule;
  const bool splits = stagecut::has_kind(order, stagecut::op_kind::backward_weight);
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> transfers;
  transfers.kind = drawn.request.transfers;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    double forward = 0;
    double backward = 0;
    double weight = 0;
    const auto add = [&](const stagecut::layer_type& type, std::size_t choice) {
      forward += type.forward;
      if (choice >= type.choices.size()) return;
      backward += type.choices[choice].backward;
      weight += type.choices[choice].backward_weight;
    };
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) add(model.types[model.layers[i]], choices[i]);
    if (s == 0) add(model.head, 0);
    if (s + 1 == order.stages()) add(model.tail, 0);
    times.forward.push_back(forward);
    if (splits) {
      times.backward_input.push_back(backward - weight);
      times.backward_weight.push_back(weight);
    } else {
      times.backward.push_back(backward);
    }
    if (drawn.request.links.empty() || s + 1 == order.stages()) continue;
    const std::size_t cut = points[s + 1];
    const double bytes = cut == 0 ? model.head.sent_bytes : model.types[model.layers[cut - 1]].sent_bytes;
    const bool crosses = order.rank_of[s] != order.rank_of[s + 1];
    transfers.forward.push_back(crosses ? drawn.request.links[drawn.request.links.size() == 1 ? 0 : s](bytes) : 0);
  }
  transfers.backward = transfers.forward;
  return stagecut::simulate(order, times, transfers).makespan;
}

/// Shows all ways to cut the layers: `visit(points)`.
template <class Visit>
void each_cut(const small_case& drawn, const Visit& visit) {
  const std::size_t layers = drawn.model.layers.size();
  const std::size_t stages = drawn.request.schedule.stages();
  std::vector<std::size_t> least(stages, drawn.request.least_layers);
  if (drawn.request.head_alone) least[0] = 0;
  if (drawn.request.tail_alone) least[stages - 1] = 0;
  std::vector<std::size_t> points(stages + 1, 0);
  const std::function<void(std::size_t)> next = [&](std::size_t s) {
    if (s == stages) {
      points[stages] = layers;
      if (layers >= points[stages - 1] + least[stages - 1]) visit(points);
      return;
    }
    for (points[s] = points[s - 1] + least[s - 1]; points[s] <= layers; ++points[s]) next(s + 1);
  };
  if (stages == 1) {
    points[1] = layers;
    visit(points);
  } else {
    next(1);
  }
}

/// Shows all ways to run the layers of some stages that are not the same: of layers of one type in a stage it matters how
/// many are run how, not which.
template <class Visit>
void each_choice(const stagecut::recompute_model& model, const std::vector<std::size_t>& points, const Visit& visit) {
  std::vector<std::size_t> choices(model.layers.size(), 0);
  const std::function<void(std::size_t, std::size_t)> next = [&](std::size_t i, std::size_t s) {
    if (i == choices.size()) return visit(choices);
    while (i >= points[s + 1]) ++s;
    std::size_t first = 0;  // not below the one of the last layer of its type on the stage
    for (std::size_t j = points[s]; j < i; ++j) {
      if (model.layers[j] == model.layers[i]) first = choices[j];
    }
    for (choices[i] = first; choices[i] < model.types[model.layers[i]].choices.size(); ++choices[i]) next(i + 1, s);
  };
  next(0, 0);
}

/// The least makespan by trying everything; unset: nothing fits.
inline std::optional<double> best_of_all(const small_case& drawn) {
  std::optional<double> best;
  const stagecut::recompute_request& request = drawn.request;
  each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    each_choice(drawn.model, points, [&](const std::vector<std::size_t>& choices) {
      for (std::size_t r = 0; r < request.schedule.ranks(); ++r) {
        const double limit =
            request.memory_limit.of(r, 1e300);
        if (peak_of(drawn, r, points, choices) > limit) return;
      }
      const double here = makespan_of(drawn, points, choices);
      if (!best || here < *best) best = here;
    });
  });
  return best;
}

/// The number of plans that `best_of_all` would look at, at most a million.
inline std::size_t plans_of(const small_case& drawn) {
  std::size_t count = 0;
  each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    if (count > 1'000'000) return;
    std::size_t ways = 1;
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      for (std::size_t t = 0; t < drawn.model.types.size(); ++t) {
        std::size_t n = 0;
        for (std::size_t i = points[s]; i < points[s + 1]; ++i) n += drawn.model.layers[i] == t ? 1U : 0U;
        for (std::size_t r = 1; r < drawn.model.types[t].choices.size(); ++r) ways = ways * (n + r) / r;
      }
    }
    count += ways;
  });
  return count;
}

/// A limit between what a rank needs at least and at most, now and then below.
inline void draw_memory(std::mt19937& dice, small_case& drawn) {
  const stagecut::recompute_request& request = drawn.request;
  std::vector<std::size_t> leanest;
  std::vector<std::size_t> fullest;
  for (const std::size_t t : drawn.model.layers) {
    const auto& choices = drawn.model.types[t].choices;
    const auto less = [](const auto& a, const auto& b) { return a.activations < b.activations; };
    leanest.push_back(
        static_cast<std::size_t>(std::min_element(choices.begin(), choices.end(), less) - choices.begin()));
    fullest.push_back(
        static_cast<std::size_t>(std::max_element(choices.begin(), choices.end(), less) - choices.begin()));
  }
  double least = 1e300;
  double most = 0;
  each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    double here = 0;
    double full = 0;
    for (std::size_t r = 0; r < request.schedule.ranks(); ++r) {
      here = std::max(here, peak_of(drawn, r, points, leanest));
      full = std::max(full, peak_of(drawn, r, points, fullest));
    }
    least = std::min(least, here);
    most = std::max(most, full);
  });
  if (least > most) least = most;
  const double share = static_cast<double>(drawn.model.layers.size() > 0 ? joint_tests::drawn(dice, 0, 99) : 0);
  drawn.request.memory_limit =
      share < 15 ? least - 1 : least + static_cast<double>(static_cast<long long>((most - least) * (share - 15) / 170));
  if (*drawn.request.memory_limit.for_all() < 0) drawn.request.memory_limit = 0;
}

/// S ranks of 2 or 3 with V stages of 1 to 3, layers of one type or of several.
inline small_case drawn_case(std::mt19937& dice, std::size_t most_types) {
  small_case result;
  const std::size_t ranks = drawn(dice, 2, 3);
  const std::size_t chunks = drawn(dice, 1, 3);
  result.request.schedule = drawn_order(dice, ranks, chunks);
  result.request.least_layers = drawn(dice, 0, 1);
  result.request.head_alone = dice() % 4 == 0;
  result.request.tail_alone = dice() % 4 == 0;
  const std::size_t types = drawn(dice, 1, most_types);
  const std::size_t layers = drawn(dice, std::max<std::size_t>(ranks * chunks, types), ranks * chunks + 5);
  for (std::size_t t = 0; t < types; ++t) result.model.types.push_back(drawn_type(dice, drawn(dice, 1, 3)));
  for (std::size_t i = 0; i < layers; ++i) {
    result.model.layers.push_back(dice() % 3 == 0 ? drawn(dice, 0, types - 1) : i * types / layers);
  }
  result.model.head = drawn_type(dice, 1);
  result.model.tail = drawn_type(dice, 1);
  if (dice() % 3 == 0) {
    for (auto& type : result.model.types) {
      for (auto& choice : type.choices) choice.workspace = static_cast<double>(drawn(dice, 0, 12));
    }
    result.model.tail.choices[0].workspace = static_cast<double>(drawn(dice, 0, 12));
  }
  result.request.constant = static_cast<double>(drawn(dice, 0, 3));
  result.request.search.time_limit.reset();
  draw_memory(dice, result);
  return result;
}

}  // namespace joint_tests
