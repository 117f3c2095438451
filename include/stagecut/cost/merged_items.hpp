// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline v0 {

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
                                detail::joined("must be the number of items, ", std::to_string(cost.size()))));
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
    if (between_blocks.items() != size()) {
      detail::fail(argument_error("merged_items::expand", "between_blocks.items()",
                                  std::to_string(between_blocks.items()),
                                  detail::joined("must be the number of blocks, ", std::to_string(size()))));
    }
    std::vector<std::size_t> points;
    points.reserve(between_blocks.points().size());
    for (const std::size_t block : between_blocks.points()) points.push_back(blocks_[block]);
    return cuts(std::move(points), empty_stages::allowed);
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

}  // namespace stagecut::inline v0
