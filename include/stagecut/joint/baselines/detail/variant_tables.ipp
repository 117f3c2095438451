// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/variant_tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL variant_tables::variant_tables(const variant_graph& graph) {
  list_edges(graph);
  choose_units(graph);
  layers.resize(graph.layers.size());
  work.assign(graph.layers.size(), 0);
  for (std::size_t v = 0; v < graph.layers.size(); ++v) {
    layers[v].resize(ways.size());
    bool any = false;
    for (const divided_layer& layer : graph.layers[v].divided) {
      if (layer.variants.empty()) continue;
      std::size_t t = 0;
      while (ways[t] != layer.tensor_parallel) ++t;
      divided& made = layers[v][t];
      made = tabulate(graph, v, layer);
      const std::int64_t here = made.time * static_cast<std::int64_t>(layer.tensor_parallel);
      work[v] = !any || here < work[v] ? here : work[v];
      any = true;
    }
  }
}

STAGECUT_DECL void variant_tables::list_edges(const variant_graph& graph) {
  neighbours.resize(graph.layers.size());
  in_.resize(graph.layers.size());
  out_.resize(graph.layers.size());
  for (const variant_edge& edge : graph.edges) {
    in_[edge.to].push_back(edge.bytes);
    neighbours[edge.to].push_back(edge.from);
  }
  for (const variant_edge& edge : graph.edges) {
    out_[edge.from].push_back(edge.bytes);
    neighbours[edge.from].push_back(edge.to);
  }
}

STAGECUT_DECL double variant_tables::crossing(const variant_graph& graph, std::size_t v, const run_variant& one,
                                              std::size_t e) const {
  const std::size_t in = in_[v].size();
  return e < in ? 2 * (in_[v][e] + at(one.received_bytes, e)) / graph.bandwidth
                : 2 * (out_[v][e - in] + at(one.sent_bytes, e - in)) / graph.bandwidth;
}

STAGECUT_DECL void variant_tables::choose_units(const variant_graph& graph) {
  double all_time = 0;
  double all_bytes = 0;
  double all_parameters = 0;
  for (std::size_t v = 0; v < graph.layers.size(); ++v) {
    double most_time = 0;
    double most_bytes = 0;
    double most_parameters = 0;
    for (const divided_layer& layer : graph.layers[v].divided) {
      std::size_t t = 0;
      while (t < ways.size() && ways[t] < layer.tensor_parallel) ++t;
      if (t == ways.size() || ways[t] != layer.tensor_parallel)
        ways.insert(ways.begin() + static_cast<std::ptrdiff_t>(t), layer.tensor_parallel);
      for (const run_variant& one : layer.variants) {
        double time = one.time * static_cast<double>(layer.tensor_parallel) + 4 * one.parameters / graph.bandwidth;
        for (std::size_t e = 0; e < neighbours[v].size(); ++e) time += crossing(graph, v, one, e);
        const double room = one.activations * static_cast<double>(graph.microbatches) + one.resident;
        most_time = time > most_time ? time : most_time;
        most_bytes = room > most_bytes ? room : most_bytes;
        most_parameters = one.parameters > most_parameters ? one.parameters : most_parameters;
      }
    }
    all_time += most_time;
    all_bytes += most_bytes;
    all_parameters += most_parameters;
  }
  for (const double each : {all_time, all_bytes, all_parameters}) {
    if (!is_finite(each)) fail(invalid_input("layers", "their figures sum to more than a double holds"));
  }
  times = engine::tick_scale(all_time);
  bytes = engine::tick_scale(all_bytes);
  parameters = engine::tick_scale(all_parameters);
}

STAGECUT_DECL auto variant_tables::tabulate(const variant_graph& graph, std::size_t v, const divided_layer& from)
    -> divided {
  divided made;
  const std::size_t edges = neighbours[v].size();
  double least_parameters = from.variants[0].parameters;
  made.time = times.nearest(from.variants[0].time);
  made.cut.assign(edges, 0);
  for (std::size_t r = 0; r < from.variants.size(); ++r) {
    const run_variant& one = from.variants[r];
    made.variants.push_back({times.nearest(one.time), bytes.nearest(one.activations), bytes.nearest(one.resident)});
    made.time = made.variants[r].time < made.time ? made.variants[r].time : made.time;
    least_parameters = std::min(least_parameters, one.parameters);
    made.more_cut.emplace_back();
    for (std::size_t e = 0; e < edges; ++e) {
      made.more_cut[r].push_back(times.nearest(crossing(graph, v, one, e)));
      if (r == 0 || made.more_cut[r][e] < made.cut[e]) made.cut[e] = made.more_cut[r][e];
    }
  }
  made.parameters = parameters.nearest(least_parameters);
  bool same_parameters = true;
  bool same_cut = true;
  for (std::size_t r = 0; r < from.variants.size(); ++r) {
    made.variants[r].time -= made.time;
    made.more_parameters.push_back(from.variants[r].parameters - least_parameters);
    same_parameters = same_parameters && made.more_parameters[r] == 0;
    for (std::size_t e = 0; e < edges; ++e) {
      made.more_cut[r][e] -= made.cut[e];
      same_cut = same_cut && made.more_cut[r][e] == 0;
    }
  }
  if (same_parameters) made.more_parameters.clear();
  if (same_cut) made.more_cut.clear();
  made.alike = group_of(made.variants);
  return made;
}

STAGECUT_DECL std::size_t variant_tables::group_of(const std::vector<variant_figures>& figures) {
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (groups[g] == figures) return g;
  }
  groups.push_back(figures);
  return groups.size() - 1;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
