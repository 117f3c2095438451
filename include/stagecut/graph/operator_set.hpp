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
/// On an accelerator it takes the work of its elements at the device's speed, and of every net that it cuts, once, what
/// its producer puts out: what it receives and what it sends. On a CPU it takes the work there, and messages cost nothing.
/// Either takes its stage's constant as well.
///
/// `add` and `remove` take O(nets of the element), all else O(1).
class operator_set {
 public:
  /// As in `operator_costs`.
  using ticks = operator_costs::ticks;

  /// The empty set.
  /// @param costs  of what; must outlive the set and its copies
  explicit operator_set(const operator_costs& costs) : costs_(&costs), inside_(costs.nets() + costs.shared()) {}
  explicit operator_set(const operator_costs&&) = delete;  // would die before it is asked

  /// Elements to choose from.
  [[nodiscard]] std::size_t size() const noexcept { return costs_->size(); }

  /// Puts an element in.
  /// @pre it is not in
  void add(std::size_t e);

  /// Takes an element out.
  /// @pre it is in
  void remove(std::size_t e);

  /// What the set takes.
  [[nodiscard]] ticks value(const stage_role& role) const noexcept;

  /// What any set takes at least that holds this one.
  [[nodiscard]] ticks least(const stage_role& role) const noexcept;

  /// Whether its elements run on that kind of device, its memory suffices, and none of them has to stand elsewhere.
  [[nodiscard]] bool fits(const stage_role& role) const noexcept;
  /// The same but for buffers, of which a larger set may need less.
  [[nodiscard]] bool may_grow(const stage_role& role) const noexcept;

  /// A set takes at least the sum of these; of what does not run on CPUs, more than any set takes.
  [[nodiscard]] ticks weight(std::size_t e, std::size_t kind) const noexcept;

  /// What all values are whole multiples of.
  [[nodiscard]] ticks unit() const noexcept { return costs_->unit(); }

  /// Whether anything here depends on the number of a stage.
  [[nodiscard]] bool by_position() const noexcept { return costs_->by_position(); }

  /// Memory on an accelerator, in ticks of it.
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
  /// Memory that an element needs while it runs, where that matters.
  [[nodiscard]] ticks works_in(std::size_t e) const noexcept {
    return costs_->options().memory ? costs_->of(e).workspace : 0;
  }
  /// Counts a net once more, once less or not; without branches, which nobody could foretell.
  void cut(std::size_t net, ticks times) noexcept;

  const operator_costs* costs_;
  std::vector<std::uint32_t> inside_;  // pins of every net that are in, then the same of shared parameters
  ticks forward_ = 0;
  ticks backward_ = 0;
  ticks cpu_ = 0;
  operator_costs::net cut_{};
  ticks resident_ = 0;
  ticks activations_ = 0;
  std::size_t not_on_accelerator_ = 0;
  std::size_t not_on_cpu_ = 0;
  std::map<ticks, std::uint32_t> workspaces_{};  // how many elements need so much while they run
  std::size_t fixed_ = 0;  // elements that have to stand on some stage; the sum of these, and of their squares
  std::size_t fixed_sum_ = 0;
  std::size_t fixed_squares_ = 0;
};

static_assert(set_cost<operator_set>);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_set.ipp>
#endif
