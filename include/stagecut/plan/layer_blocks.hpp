// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/profile/detail/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0 {

/// The layers of a chain in blocks that no cut may part: neighbours of one group, all layers from the first to the last of
/// those that share colocated parameters, and what else one wants kept together. A layer without any of these is a block
/// of its own.
class layer_blocks {
 public:
  /// @param model           a chain
  /// @param forbidden_cuts  c: not between the layers c - 1 and c
  /// @param kept_together   layers of which each is in the stage of the others
  /// @throws                argument_error for a cut that is none between two layers, and for layers that there are not
  ///
  /// O(n + t) for t shared parameters, counted in each layer that has them, plus the layers kept together.
  explicit layer_blocks(const profile& model, const std::vector<std::size_t>& forbidden_cuts = {},
                        const std::vector<interval>& kept_together = {}) {
    const std::vector<layer>& layers = model.layers;
    std::vector<bool> joined(layers.size());  // to the layer before
    for (std::size_t i = 1; i < layers.size(); ++i) {
      joined[i] = !layers[i].group.empty() && layers[i].group == layers[i - 1].group;
    }
    join_colocated(model, joined);
    const std::size_t n = layers.size();
    for (std::size_t i = 0; i < forbidden_cuts.size(); ++i) {
      const std::size_t cut = forbidden_cuts[i];
      if (cut == 0 || cut >= n) refuse("forbidden_cuts", i, std::to_string(cut), "between two of ", n);
      joined[cut] = true;
    }
    for (std::size_t i = 0; i < kept_together.size(); ++i) {
      const auto [first, last] = kept_together[i];
      if (first >= last || last > n) {
        const std::string text = detail::joined("[", std::to_string(first), ", ", std::to_string(last), ")");
        refuse("kept_together", i, text, "some of ", n);
      }
      for (std::size_t j = first + 1; j < last; ++j) joined[j] = true;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!joined[i]) first_.push_back(i);
    }
    first_.push_back(layers.size());
  }

  /// Number of blocks.
  [[nodiscard]] std::size_t size() const noexcept { return first_.size() - 1; }

  /// The first layer of block b; `[size()]` is the number of layers.
  [[nodiscard]] std::size_t operator[](std::size_t b) const noexcept { return first_[b]; }

  /// The layers of each block, as the stages of these cuts.
  [[nodiscard]] cuts layers() const { return cuts(first_); }

  /// Cuts between blocks as cuts between layers.
  [[nodiscard]] cuts expand(const cuts& between_blocks) const {
    std::vector<std::size_t> points;
    for (const std::size_t b : between_blocks.points()) points.push_back(first_[b]);
    return cuts(std::move(points));
  }

 private:
  static void refuse(const char* what, std::size_t i, const std::string& value, const char* where, std::size_t n) {
    detail::fail(argument_error("layer_blocks", detail::joined(what, "[", std::to_string(i), "]"), value,
                                detail::joined("must be ", where, std::to_string(n), " layers")));
  }

  /// Joins all layers from the first that has colocated parameters to the last that names them.
  static void join_colocated(const profile& model, std::vector<bool>& joined) {
    constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::vector<std::size_t> first;                 // layer, of every name; nowhere: not colocated so far
    std::vector<std::size_t> reach(joined.size());  // of the names that begin in a layer, the last layer
    detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
      if (name == first.size()) first.push_back(nowhere);
      if (first[name] == nowhere && tied.where == tied_parameters::placement::colocated) first[name] = i;
      if (first[name] != nowhere && reach[first[name]] < i) reach[first[name]] = i;
    });
    std::size_t furthest = 0;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      if (i <= furthest && i > 0) joined[i] = true;
      furthest = furthest < reach[i] ? reach[i] : furthest;
    }
  }

  std::vector<std::size_t> first_;
};

/// A constraint on stages of layers as one on stages of their blocks.
template <stage_constraint Constraint>
class blocks_constraint {
 public:
  /// Both must outlive this object.
  blocks_constraint(const layer_blocks& blocks, const Constraint& constraint)
      : blocks_(&blocks), constraint_(__builtin_addressof(constraint)) {}

  /// What the constraint says of the layers of the blocks `[first, last)`.
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return (*constraint_)(stage, (*blocks_)[first], (*blocks_)[last]);
  }

  /// Likewise of wider stages.
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::hopeless(*constraint_, stage, (*blocks_)[first], (*blocks_)[last], false);
  }

 private:
  const layer_blocks* blocks_;
  const Constraint* constraint_;
};

}  // namespace stagecut::inline v0
