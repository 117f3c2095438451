// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

// Consistency of the parts of a profile, for readers and writers of JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Whether each layer feeds only the next.
[[nodiscard]] inline bool is_list(const profile& model) {
  return model.edges.empty() &&
         std::all_of(model.layers.begin(), model.layers.end(), [](const layer& each) { return each.children.empty(); });
}

/// Rejects inconsistent times of a layer or a variant through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Each, class Refuse>
void check_figures(const Each& each, const std::string& pointer, const Refuse& refuse) {
  if (each.backward_input.has_value() != each.backward_weight.has_value()) {
    refuse(pointer, each.backward_input ? "\"backward_input\"" : "\"backward_weight\"",
           "stands without its other half");
  }
  if (!is_finite(each.forward + each.backward)) refuse(pointer, "forward + backward", "is out of range");
  if (!is_finite(usual_backward(each))) refuse(pointer, "backward_input + backward_weight", "is out of range");
}

/// Rejects an operator of the backward pass with a forward time, through the same callback.
template <class Refuse>
void check_pass(const layer& each, const std::string& pointer, const Refuse& refuse) {
  if (each.is_backward && each.forward > 0) refuse(pointer, "an operator of the backward pass", "has a forward time");
}

/// Rejects groups of a chain that are left and entered again, through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_groups(const std::vector<layer>& layers, const Refuse& refuse) {
  const auto group = [&](std::size_t i) -> std::string_view { return layers[i].group; };
  const auto [again, left] = stagecut::detail::find_parted_group(layers.size(), group);
  if (again == layers.size()) return;
  refuse(joined({"/layers/", again, "/group"}), joined({"group ", in_quotes(group(again))}),
         joined({"was left at layer ", left, " and is entered again"}));
}

/// Rejects inconsistent layers through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_layers(const std::vector<layer>& layers, const Refuse& refuse) {
  struct shared_name {
    const tied_parameters* first;
    std::size_t where;  // the first layer that has it
    std::size_t last;   // the latest layer that has it
  };
  std::size_t ties = 0;
  for (const layer& each : layers) ties += each.tied.size();
  stagecut::detail::name_numbers numbers(ties);
  std::vector<shared_name> shared;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const layer& each = layers[i];
    const std::string pointer = joined({"/layers/", i});
    check_figures(each, pointer, refuse);
    check_pass(each, pointer, refuse);
    for (const auto& [key, variants] :
         {std::pair("/recomputations/", &each.recomputations), std::pair("/shardings/", &each.shardings)}) {
      for (std::size_t v = 0; v < variants->size(); ++v) {
        const std::string place = joined({pointer, key, v});
        check_figures((*variants)[v], place, refuse);
        if ((*variants)[v].tensor_parallel == 0) refuse(joined({place, "/tensor_parallel"}), "0", "is below 1");
      }
    }
    for (std::size_t t = 0; t < each.tied.size(); ++t) {
      const tied_parameters& tie = each.tied[t];
      const std::string place = joined({pointer, "/tied/", t});
      if (tie.name.empty()) refuse(joined({place, "/name"}), "\"\"", "is empty");
      const std::size_t number = numbers(tie.name);
      if (number == shared.size()) {
        shared.push_back({&tie, i, i});
        continue;
      }
      shared_name& known = shared[number];
      if (known.last == i) refuse(place, in_quotes(tie.name), "stands twice in its layer");
      known.last = i;
      if (*known.first != tie) {
        refuse(place, in_quotes(tie.name),
               joined({"has other bytes, resident or placement than in layer ", known.where}));
      }
    }
  }
}

/// Rejects the number of a nonexistent layer through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_number(std::size_t number, std::size_t layers, const std::string& pointer, const Refuse& refuse) {
  if (number < layers) return;
  refuse(pointer, std::to_string(number), joined({"is not below the number of layers, ", layers}));
}

/// Rejects edges that do not form an acyclic graph through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_edges(const profile& model, const Refuse& refuse) {
  stagecut::layer_graph graph(model.layers.size());
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (std::size_t e = 0; e < model.edges.size(); ++e) {
    const auto [from, to] = model.edges[e];
    const std::string pointer = joined({"/edges/", e});
    const std::string shown = joined({"[", from, ", ", to, "]"});
    check_number(from, graph.size(), joined({pointer, "/0"}), refuse);
    check_number(to, graph.size(), joined({pointer, "/1"}), refuse);
    if (from == to) refuse(pointer, shown, "joins a layer to itself");
    if (!known.emplace(from, to).second) refuse(pointer, shown, "stands twice");
    graph.join(from, to);
  }
  if (const auto cycle = graph.cycle(); !cycle.empty()) {
    refuse("/edges", stagecut::detail::cycle_text(model.layers, cycle), "is a cycle");
  }
}

/// Rejects children that do not form a tree with one root through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_children(const std::vector<layer>& layers, const Refuse& refuse) {
  stagecut::layer_graph tree(layers.size());
  bool any = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (std::size_t c = 0; c < layers[i].children.size(); ++c) {
      const std::size_t child = layers[i].children[c];
      const std::string pointer = joined({"/layers/", i, "/children/", c});
      check_number(child, layers.size(), pointer, refuse);
      if (!tree.previous(child).empty()) {
        refuse(pointer, joined({"layer ", child}),
               joined({"is a child of layer ", tree.previous(child)[0], " already"}));
      }
      tree.join(i, child);
      any = true;
    }
  }
  if (!any) return;
  if (const auto cycle = tree.cycle(); !cycle.empty()) {
    refuse(joined({"/layers/", cycle[0], "/children"}), stagecut::detail::cycle_text(layers, cycle), "is a cycle");
  }
  std::size_t root = layers.size();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!tree.previous(i).empty()) continue;
    if (root != layers.size()) {
      refuse(joined({"/layers/", i}), joined({"layer ", i}),
             joined({"is no child, nor is layer ", root, ": a module tree has one root"}));
    }
    root = i;
  }
}

/// Rejects inconsistent parts of a profile through `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_profile(const profile& model, const Refuse& refuse) {
  check_layers(model.layers, refuse);
  check_edges(model, refuse);
  check_children(model.layers, refuse);
  if (is_list(model)) check_groups(model.layers, refuse);
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
