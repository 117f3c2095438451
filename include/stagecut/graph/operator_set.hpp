// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A set of elements of a graph as a stage: a `set_cost` in ticks of `operator_costs`.
///
/// On an accelerator it costs the work of its elements at the device's speed plus, for every net that it cuts, the
/// producer's output once, received or sent. On a CPU it costs the work there; messages are free. Either adds its
/// stage's constant.
///
/// `add` and `remove` take O(nets of the element), all others O(1).
class operator_set {
 public:
  /// As in `operator_costs`.
  using ticks = operator_costs::ticks;

  /// The empty set.
  /// @param costs  of the elements; must outlive the set and its copies
  explicit operator_set(const operator_costs& costs) : costs_(&costs), inside_(costs.nets() + costs.shared()) {}
  explicit operator_set(const operator_costs&&) = delete;  // a temporary would dangle

  /// Number of elements to choose from.
  [[nodiscard]] std::size_t size() const noexcept { return costs_->size(); }

  /// Puts an element in.
  /// @pre it is not in
  void add(std::size_t e);

  /// Takes an element out.
  /// @pre it is in
  void remove(std::size_t e);

  /// The cost of the set.
  [[nodiscard]] ticks value(const stage_role& role) const noexcept;

  /// A lower bound on the cost of every superset.
  [[nodiscard]] ticks least(const stage_role& role) const noexcept;

  /// Whether its elements run on that kind of device, its memory suffices, and no element is fixed elsewhere.
  [[nodiscard]] bool fits(const stage_role& role) const noexcept;
  /// The same without buffers, which a superset may need fewer of.
  [[nodiscard]] bool may_grow(const stage_role& role) const noexcept;

  /// A set costs at least the sum of its weights; what does not run on CPUs weighs more than any set costs.
  [[nodiscard]] ticks weight(std::size_t e, std::size_t kind) const noexcept;

  /// A common divisor of all values.
  [[nodiscard]] ticks unit() const noexcept { return costs_->unit(); }

  /// Whether any cost depends on the number of a stage.
  [[nodiscard]] bool by_position() const noexcept { return costs_->by_position(); }

  /// Memory on an accelerator, in ticks of bytes.
  [[nodiscard]] ticks memory(const stage_role& role) const noexcept;

 private:
  static constexpr ticks never = ticks{1} << 61;

  template <int Sign>
  void count(const operator_costs::figures& each) noexcept {
    forward_ += Sign * each.forward;
    backward_ += Sign * each.backward;
    cpu_ += Sign * each.cpu;
    resident_ += Sign * each.resident;
    activations_ += Sign * each.activations;
    const auto one = static_cast<std::size_t>(Sign);
    if (!each.on_accelerator) not_on_accelerator_ += one;
    if (!each.on_cpu) not_on_cpu_ += one;
    if (each.stage == graph_operator::none) return;
    fixed_ += one;
    fixed_sum_ += one * each.stage;
    fixed_squares_ += one * each.stage * each.stage;
  }
  /// Workspace of an element, where memory matters.
  [[nodiscard]] ticks works_in(std::size_t e) const noexcept {
    return costs_->options().memory_limit ? costs_->of(e).workspace : 0;
  }
  /// Counts a net `times` (1, -1 or 0); branchless, as branches here are unpredictable.
  void cut(std::size_t net, ticks times) noexcept;

  const operator_costs* costs_;
  std::vector<std::uint32_t> inside_;  // pins of every net that are in, then the same for shared parameters
  ticks forward_ = 0;
  ticks backward_ = 0;
  ticks cpu_ = 0;
  operator_costs::net cut_{};
  ticks resident_ = 0;
  ticks activations_ = 0;
  std::size_t not_on_accelerator_ = 0;
  std::size_t not_on_cpu_ = 0;
  std::map<ticks, std::uint32_t> workspaces_{};  // number of elements by workspace
  std::size_t fixed_ = 0;  // elements fixed to a stage; the sum of these stages, and of their squares
  std::size_t fixed_sum_ = 0;
  std::size_t fixed_squares_ = 0;
};

static_assert(set_cost<operator_set>);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_set.ipp>
#endif
