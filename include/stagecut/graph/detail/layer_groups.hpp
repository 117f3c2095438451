// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Union-find over numbers; the least number represents a set.
class joined_sets {
 public:
  explicit joined_sets(std::size_t size) : above_(size) {
    for (std::size_t i = 0; i < size; ++i) above_[i] = i;
  }

  /// The least number of the set of `i`.
  [[nodiscard]] std::size_t operator()(std::size_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }

  /// Merges two sets.
  void join(std::size_t a, std::size_t b) {
    a = (*this)(a);
    b = (*this)(b);
    (a < b ? above_[b] : above_[a]) = a < b ? a : b;
  }

 private:
  std::vector<std::size_t> above_;
};

/// For each layer the number of its group, from 0 in the order of their first layers: layers of one group name, layers
/// that share colocated parameters, and the transitive closure of both. A single layer has no group.
[[nodiscard]] inline std::vector<std::size_t> layer_groups(const profile& model) {
  const std::size_t n = model.layers.size();
  joined_sets sets(n);
  name_numbers names(n);
  std::vector<std::size_t> first;  // first layer with each name
  for (std::size_t i = 0; i < n; ++i) {
    if (model.layers[i].group.empty()) continue;
    const std::size_t name = names(model.layers[i].group);
    if (name == first.size()) first.push_back(i);
    sets.join(first[name], i);
  }
  std::vector<bool> colocated;  // for each name of tied parameters
  detail::each_tie(model, [&](std::size_t, const tied_parameters& tied, std::size_t name) {
    if (name == colocated.size()) colocated.push_back(false);
    if (tied.where == tied_parameters::placement::colocated) colocated[name] = true;
  });
  first.clear();
  detail::each_tie(model, [&](std::size_t i, const tied_parameters&, std::size_t name) {
    if (name == first.size()) first.push_back(i);
    if (colocated[name]) sets.join(first[name], i);
  });

  std::vector<std::size_t> size(n);
  for (std::size_t i = 0; i < n; ++i) ++size[sets(i)];
  std::vector<std::size_t> group(n, graph_operator::none);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t least = sets(i);
    if (size[least] == 1) continue;
    group[i] = least == i ? count++ : group[least];
  }
  return group;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
