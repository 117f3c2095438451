// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
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
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Converts cuts between blocks to cuts between items.
/// @throws argument_error in the name of `function` for cuts of another number of blocks
[[nodiscard]] STAGECUT_DECL cuts expanded(std::string_view function, const cuts& blocks, const cuts& between_blocks);

}  // namespace detail

/// A chain whose items are the blocks of another chain, so that no cut splits a block: algorithms satisfy
/// `forbidden_cuts` without knowing it, and with fewer items to cut. Answers count blocks; `expand` converts them to
/// items.
///
/// Keeps every promise of the cost, and the corresponding members.
template <stage_cost Model>
class merged_items {
 public:
  /// Its promises: all of the cost's.
  using axioms = axiom<enable_axioms<Model>.bits>;

  /// @param cost    of intervals of items; copied, or referred to if given as `std::cref(cost)`
  /// @param blocks  the blocks of items: cuts wherever the chain may be cut
  /// @throws        argument_error for blocks of another number of items
  merged_items(Model cost, cuts blocks) : cost_(std::forward<Model>(cost)), blocks_(std::move(blocks)) {
    if (blocks_.items() == cost_->size()) return;
    detail::fail(argument_error("merged_items", "blocks.items()", std::to_string(blocks_.items()),
                                detail::joined({"must be the number of items, ", cost_->size()})));
  }

  /// @param cost       as above
  /// @param forbidden  or `kept_together`: the blocks are the items between two allowed cuts
  /// @throws           as above
  merged_items(Model cost, const forbidden_cuts& forbidden)
      : merged_items(std::forward<Model>(cost), blocks_of(forbidden)) {}

  merged_items(std::remove_reference_t<Model>&&, cuts) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use
  merged_items(std::remove_reference_t<Model>&&, const forbidden_cuts&) requires std::is_reference_v<Model>
  = delete;

  /// Number of blocks.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.stages(); }

  /// The items of each block, as the stages of these cuts.
  [[nodiscard]] const cuts& blocks() const noexcept { return blocks_; }

  /// Cuts between blocks as cuts between items.
  /// @throws argument_error for cuts of another number of blocks
  [[nodiscard]] cuts expand(const cuts& between_blocks) const {
    return detail::expanded("merged_items::expand", blocks_, between_blocks);
  }

  /// The cost of the items of the blocks `[first, last)`.
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

  /// The members for a promise of the cost, `additive` or `separable`, or for an `overlapped_cost`.
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

  detail::holder<Model> cost_;
  cuts blocks_;
};

/// The type, deduced from `std::cref(cost)`.
/// @{
template <detail::reference_wrapper Wrapper>
merged_items(Wrapper, cuts) -> merged_items<detail::wrapped_t<Wrapper>>;
template <detail::reference_wrapper Wrapper>
merged_items(Wrapper, const forbidden_cuts&) -> merged_items<detail::wrapped_t<Wrapper>>;
/// @}

namespace detail {

/// Throws `argument_error` for a block out of range.
inline void check_block(const cuts& blocks, std::size_t last) {
  if (last <= blocks.stages()) return;
  fail(argument_error("merged_constraint", "blocks.stages()", std::to_string(blocks.stages()),
                      joined({"must be the number of items, at least ", last})));
}

/// A constraint on stages of items, applied to stages of blocks.
template <class Constraint>
struct placed_merge {
  Constraint constraint;
  view<const std::size_t> points;  ///< starts of the blocks, then the number of items

  /// @pre `first <= last <=` the number of blocks
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return constraint(stage, points[first], points[last]);
  }
};

}  // namespace detail

/// A constraint on stages of items, as a constraint on stages of blocks: the counterpart of `merged_items`.
template <stage_constraint Constraint>
class merged_constraint {
 public:
  /// Its promises: all of the constraint's.
  using axioms = axiom<enable_axioms<Constraint>.bits>;

  /// @param constraint  on stages of items; copied, or referred to if given as `std::cref(constraint)`
  /// @param blocks      the blocks of items
  merged_constraint(Constraint constraint, cuts blocks)
      : constraint_(std::forward<Constraint>(constraint)), blocks_(std::move(blocks)) {}

  merged_constraint(std::remove_reference_t<Constraint>&&, cuts) requires std::is_reference_v<Constraint>
  = delete;  // the temporary would die before use

  /// The constraint's result for the items of the blocks `[first, last)`.
  /// @pre    `first <= last`
  /// @throws argument_error for a block out of range
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    detail::check_block(blocks_, last);
    return (*constraint_)(stage, blocks_[first], blocks_[last]);
  }

  /// Whether it is known to reject all wider stages too, if it rejects this one.
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::hopeless(*constraint_, stage, blocks_[first], blocks_[last], false);
  }

  /// The same constraint on copies of its and the blocks' data: see `memory_for`.
  template <memory_for<std::size_t> Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed_merge<detail::placed_t<std::remove_cvref_t<Constraint>, Memory>>{
        detail::placed(*constraint_, memory), memory(view<const std::size_t>(blocks_.points()))};
  }

 private:
  detail::holder<Constraint> constraint_;
  cuts blocks_;
};

/// The type, deduced from `std::cref(constraint)`.
template <detail::reference_wrapper Wrapper>
merged_constraint(Wrapper, cuts) -> merged_constraint<detail::wrapped_t<Wrapper>>;

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/merged_items.ipp>
#endif
