// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Cuts between blocks as cuts between the items of these blocks.
/// @throws argument_error in the name of `function` for cuts of another number of blocks
[[nodiscard]] STAGECUT_DECL cuts expanded(std::string_view function, const cuts& blocks, const cuts& between_blocks);

}  // namespace detail

/// A chain whose items are the blocks of another one, which no cut parts: so an algorithm keeps to `forbidden_cuts`
/// without knowing it, and with fewer items to cut. Its answer counts blocks; `expand` makes items of them.
///
/// Keeps every promise of the cost, and has the members that go with them.
template <stage_cost Model>
class merged_items {
 public:
  /// What it promises: all that the cost does.
  using axioms = axiom<enable_axioms<Model>.bits>;

  /// @param cost    of intervals of items; must outlive this object
  /// @param blocks  the items in blocks, cut where the chain may be cut
  /// @throws        argument_error if they are blocks of another number of items
  merged_items(const Model& cost, cuts blocks) : cost_(__builtin_addressof(cost)), blocks_(std::move(blocks)) {
    if (blocks_.items() == cost.size()) return;
    detail::fail(argument_error("merged_items", "blocks.items()", std::to_string(blocks_.items()),
                                detail::joined({"must be the number of items, ", cost.size()})));
  }

  /// @param cost       as above
  /// @param forbidden  or `kept_together`: the blocks are the items between two allowed cuts
  /// @throws           as above
  merged_items(const Model& cost, const forbidden_cuts& forbidden) : merged_items(cost, blocks_of(forbidden)) {}

  merged_items(const Model&&, cuts) = delete;  // would die before it is asked
  merged_items(const Model&&, const forbidden_cuts&) = delete;

  /// Number of blocks.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.stages(); }

  /// The items of each block, as the stages of these cuts.
  [[nodiscard]] const cuts& blocks() const noexcept { return blocks_; }

  /// Cuts between blocks as cuts between items.
  /// @throws argument_error for cuts of another number of blocks
  [[nodiscard]] cuts expand(const cuts& between_blocks) const {
    return detail::expanded("merged_items::expand", blocks_, between_blocks);
  }

  /// What the cost says of the items of the blocks `[first, last)`.
  /// @pre `first <= last && last <= size()`
  /// @{
  [[nodiscard]] cost_t<Model> operator()(std::size_t first, std::size_t last) const requires interval_cost<Model> {
    return (*cost_)(blocks_[first], blocks_[last]);
  }
  [[nodiscard]] cost_t<Model> operator()(std::size_t stage, std::size_t first,
                                         std::size_t last) const requires staged_cost<Model> {
    return (*cost_)(stage, blocks_[first], blocks_[last]);
  }
  /// @}

  /// The members that go with a promise of the cost, `additive` or `separable`, or make it an `overlapped_cost`.
  /// @{
  [[nodiscard]] auto prefix(std::size_t block) const requires requires(const Model& m) { m.prefix(block); }
  { return cost_->prefix(blocks_[block]); }
  [[nodiscard]] auto end(std::size_t last) const requires requires(const Model& m) { m.end(last); }
  { return cost_->end(blocks_[last]); }
  [[nodiscard]] auto end(std::size_t stage, std::size_t last) const requires requires(const Model& m) {
    m.end(stage, last);
  }
  { return cost_->end(stage, blocks_[last]); }
  [[nodiscard]] auto begin(std::size_t first) const requires requires(const Model& m) { m.begin(first); }
  { return cost_->begin(blocks_[first]); }
  [[nodiscard]] auto begin(std::size_t stage, std::size_t first) const requires requires(const Model& m) {
    m.begin(stage, first);
  }
  { return cost_->begin(stage, blocks_[first]); }
  [[nodiscard]] auto work(std::size_t stage, std::size_t first, std::size_t last) const requires
      requires(const Model& m) {
    m.work(stage, first, last);
  }
  { return cost_->work(stage, blocks_[first], blocks_[last]); }
  [[nodiscard]] auto message(std::size_t boundary, std::size_t block) const requires requires(const Model& m) {
    m.message(boundary, block);
  }
  { return cost_->message(boundary, blocks_[block]); }
  /// @}

 private:
  static cuts blocks_of(const forbidden_cuts& forbidden) {
    std::vector<std::size_t> points{0};
    for (std::size_t cut = 1; cut <= forbidden.size(); ++cut) {
      if (!forbidden.forbids(cut)) points.push_back(cut);
    }
    return cuts(std::move(points));
  }

  const Model* cost_;
  cuts blocks_;
};

namespace detail {

/// Throws `argument_error` for more blocks than there are.
inline void check_block(const cuts& blocks, std::size_t last) {
  if (last <= blocks.stages()) return;
  fail(argument_error("merged_constraint", "blocks.stages()", std::to_string(blocks.stages()),
                      joined({"must be the number of items, at least ", last})));
}

/// A constraint on stages of items, asked for stages of blocks.
template <class Constraint>
struct placed_merge {
  Constraint constraint;
  view<const std::size_t> points;  ///< where blocks begin, and the number of items

  /// @pre `first <= last`, which is at most the number of blocks
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return constraint(stage, points[first], points[last]);
  }
};

}  // namespace detail

/// A constraint on stages of items as one on stages of their blocks: what goes with `merged_items`.
template <stage_constraint Constraint>
class merged_constraint {
 public:
  /// What it promises: all that the constraint does.
  using axioms = axiom<enable_axioms<Constraint>.bits>;

  /// @param constraint  on stages of items
  /// @param blocks      the items in blocks; both must outlive this object
  merged_constraint(const Constraint& constraint, const cuts& blocks)
      : constraint_(__builtin_addressof(constraint)), blocks_(&blocks) {}

  merged_constraint(const Constraint&&, const cuts&) = delete;  // would die before it is asked
  merged_constraint(const Constraint&, const cuts&&) = delete;

  /// What the constraint says of the items of the blocks `[first, last)`.
  /// @pre    `first <= last`
  /// @throws argument_error for more blocks than there are
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    detail::check_block(*blocks_, last);
    return (*constraint_)(stage, (*blocks_)[first], (*blocks_)[last]);
  }

  /// Whether it is known to allow no wider stage either, where it does not allow this one.
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::hopeless(*constraint_, stage, (*blocks_)[first], (*blocks_)[last], false);
  }

  /// The same constraint, from copies of what it and the blocks hold: see `memory_for`.
  template <memory_for<std::size_t> Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed_merge<detail::placed_t<Constraint, Memory>>{
        detail::placed(*constraint_, memory), memory(view<const std::size_t>(blocks_->points()))};
  }

 private:
  const Constraint* constraint_;
  const cuts* blocks_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/merged_items.ipp>
#endif
