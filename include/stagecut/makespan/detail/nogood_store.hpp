// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/path_pool.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The reasons why all completions of a node of a graph of cuts failed: some path lengths up to the node. A later visit
/// with lengths at least these is skipped. See docs/makespan.md, The search.
class nogood_store {
 public:
  /// A lower bound on a path's length up to the node.
  struct condition {
    std::uint32_t path;
    std::uint32_t version;
    double length;
  };
  static constexpr double no_condition = -1;

  /// Clears everything; for a graph with this many nodes.
  void reset(std::size_t nodes) { of_.assign(nodes, {}); }
  /// The number of nodes.
  [[nodiscard]] std::size_t nodes() const noexcept { return of_.size(); }

  /// The conditions that are known to fail at a node, up to the makespan `most`, with these path lengths; null: none.
  [[nodiscard]] const std::vector<condition>* find(std::uint32_t node, double most, const double* lengths,
                                                   const engine::path_pool& pool) {
    std::vector<nogood>& all = of_[node];
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool holds = all[i].most >= most;
      for (std::size_t c = 0; c < all[i].why.size() && holds; ++c) {
        const condition& each = all[i].why[c];
        if (pool.version(each.path) != each.version) {  // another path replaced it
          all[i] = std::move(all.back());
          all.pop_back();
          --i;
          holds = false;
          break;
        }
        holds = lengths[each.path] >= each.length;
      }
      if (!holds) continue;
      if (i != 0) std::swap(all[i], all[i - 1]), --i;  // useful ones move to the front
      return &all[i].why;
    }
    return nullptr;
  }

  /// Records that all completions of a node have a makespan above `most`, given `lengths[path]`, or no condition.
  void add(std::uint32_t node, double most, const double* lengths, const engine::path_pool& pool) {
    nogood made{most, {}};
    for (std::size_t j = 0; j < pool.padded(); ++j) {
      if (lengths[j] > 0) made.why.push_back({static_cast<std::uint32_t>(j), pool.version(j), lengths[j]});
    }
    std::vector<nogood>& all = of_[node];
    if (all.size() == most_of_a_node) all.pop_back();
    all.push_back(std::move(made));
  }

 private:
  static constexpr std::size_t most_of_a_node = 24;

  struct nogood {
    double most;
    std::vector<condition> why;
  };

  std::vector<std::vector<nogood>> of_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
