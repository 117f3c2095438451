// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

// Whether a plan belongs to a profile.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether two layers are the same; unknown fields are ignored, and outputs count only if wanted.
[[nodiscard]] inline bool same_layer(layer a, layer b, bool with_outputs) {
  for (layer* each : {&a, &b}) {
    each->unknown_fields = std::string();
    for (auto* variants : {&each->recomputations, &each->shardings}) {
      for (layer_variant& variant : *variants) {
        variant.unknown_fields.clear();
        if (!with_outputs) variant.output = 0;
      }
    }
    if (!with_outputs) each->output = 0;
  }
  return a == b;
}

/// The layers of a graph in the order of a chain: each after its predecessors. If several equal ones are available, the
/// least number is first. Shorter than the chain if one of its layers is not found.
[[nodiscard]] inline std::vector<std::size_t> order_in_chain(const profile& graph, const profile& chain) {
  const std::size_t n = graph.layers.size();
  std::vector<std::size_t> waits_for(n);
  std::vector<std::vector<std::size_t>> next(n);
  for (const profile_edge& edge : graph.edges) {
    if (edge.from >= n || edge.to >= n) return {};
    ++waits_for[edge.to];
    next[edge.from].push_back(edge.to);
  }
  std::vector<std::size_t> result;
  std::vector<std::size_t> left;  // in the order of the graph
  for (std::size_t v = 0; v < n; ++v) left.push_back(v);
  for (const layer& wanted : chain.layers) {
    std::size_t at = 0;
    while (at < left.size() && (waits_for[left[at]] != 0 || graph.layers[left[at]].name != wanted.name ||
                                !detail::same_layer(graph.layers[left[at]], wanted, false))) {
      ++at;
    }
    if (at == left.size()) break;
    for (const std::size_t to : next[left[at]]) --waits_for[to];
    result.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return result;
}

/// The bytes that cross a cut of a chain: the outputs of layers before it that feed one after it, `output(LAYER)`.
template <class Output>
[[nodiscard]] double crossing_output(const std::vector<std::size_t>& order, const std::vector<std::size_t>& last_use,
                                     std::size_t cut, const Output& output) {
  double sum = 0;
  for (std::size_t i = 0; i < cut; ++i) {
    if (last_use[i] >= cut) sum += output(order[i]);
  }
  return sum;
}

/// Checks a chain against the graph that it was made from, and records the edges of the graph between its layers.
inline void verify_chain_of(const profile& graph, verified_plan& all, check_notes& notes) {
  const profile& chain = all.made.profile;
  const std::size_t n = graph.layers.size();
  const std::vector<std::size_t> order = detail::order_in_chain(graph, chain);
  if (order.size() != n) {
    const std::size_t at = order.size() < chain.layers.size() ? order.size() : 0;
    return notes.broken(layer_text(chain, at), "the graph has no such layer that could come next in a chain");
  }
  std::vector<std::size_t> position(n);
  for (std::size_t i = 0; i < n; ++i) position[order[i]] = i;
  std::vector<std::size_t> last_use(n);
  all.needs.clear();
  for (const profile_edge& edge : graph.edges) {
    const profile_edge here{position[edge.from], position[edge.to]};
    all.needs.push_back(here);
    if (last_use[here.from] < here.to) last_use[here.from] = here.to;
  }
  if (n > (std::size_t{1} << 15U)) return notes.not_checked("", "it has too many layers to sum what crosses every cut");
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const double crossing =
        last ? graph.layers[order[i]].output
             : detail::crossing_output(order, last_use, i + 1, [&](std::size_t v) { return graph.layers[v].output; });
    notes.compare(layer_text(chain, i), "its output is not what crosses a cut behind it", chain.layers[i].output,
                  crossing);
  }
  notes.figures(static_cast<double>(n), static_cast<double>(n));
}

/// Checks that a plan belongs to the profile, and finds its edges.
///
/// @return  the check; `all.model` is the profile whose layers the plan has
[[nodiscard]] inline plan_check verify_profile(const profile& given, verified_plan& all) {
  check_notes notes("profile");
  const profile& planned = all.made.profile;
  const std::size_t n = given.layers.size();
  notes.figures(static_cast<double>(planned.layers.size()), static_cast<double>(n));
  if (planned.layers.size() != n) {
    notes.broken("", "it has another number of layers", static_cast<double>(planned.layers.size()),
                 static_cast<double>(n));
    return notes.take();
  }
  if (planned.inference != given.inference) notes.broken("", "one is of inference and the other of training");
  if (planned.weights_only != given.weights_only) notes.broken("", "times are seconds in one and weights in the other");
  if (&all.model == &planned && &given != &planned) {
    detail::verify_chain_of(given, all, notes);
    return notes.take();
  }
  for (std::size_t i = 0; i < n && !notes.is_broken(); ++i) {
    if (!detail::same_layer(planned.layers[i], given.layers[i], true))
      notes.broken(all.name_of(i), "it is another layer");
  }
  if (planned.edges != given.edges) notes.broken("", "its edges are others");
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
