// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The weights of operators and edges, beside a graph that holds groups, devices (as stages) and edges.
struct communication_weights {
  std::vector<double> variables{};   ///< of every operator
  std::vector<double> operations{};  ///< of every operator
  std::vector<double> edges{};       ///< of every edge
};

/// What no placement can part, with its weights in whole ticks, so that sums are exact.
class communication_elements {
 public:
  using ticks = std::int64_t;
  using element = precedence::element;

  /// Both weights that are balanced.
  struct weights {
    ticks variables = 0;
    ticks operations = 0;

    void add(const weights& other) { variables += other.variables, operations += other.operations; }
    void remove(const weights& other) { variables -= other.variables, operations -= other.operations; }
    [[nodiscard]] bool within(const weights& most) const {
      return variables <= most.variables && operations <= most.operations;
    }
  };
  /// Another element with which one speaks, or that may not stand before or behind it.
  struct link {
    element to = 0;
    std::int32_t order = 0;  ///< 1: `to` may not stand on an earlier device; -1: not on a later one; 0: anywhere
    ticks weight = 0;
  };

  communication_elements(const operator_graph& graph, contraction parts, const communication_weights& figures,
                         const communication_request& request);

  [[nodiscard]] std::size_t size() const noexcept { return parts_.elements(); }
  [[nodiscard]] std::size_t devices() const noexcept { return devices_; }
  [[nodiscard]] bool may_empty() const noexcept { return may_empty_; }
  /// Whether edges lead to the same or a later device.
  [[nodiscard]] bool ordered() const noexcept { return ordered_; }
  [[nodiscard]] const contraction& parts() const noexcept { return parts_; }
  [[nodiscard]] const precedence& below() const noexcept { return parts_.below(); }
  [[nodiscard]] const weights& of(std::size_t e) const noexcept { return of_[e]; }
  /// What a device takes at most.
  [[nodiscard]] const weights& most() const noexcept { return most_; }
  [[nodiscard]] view<const link> links(std::size_t e) const noexcept { return links_[e]; }
  /// Links of all elements, each counted at both ends.
  [[nodiscard]] std::size_t link_ends() const noexcept { return links_.entries(); }
  /// The first and the last device on which an element may stand.
  [[nodiscard]] std::size_t first(std::size_t e) const noexcept { return first_[e]; }
  [[nodiscard]] std::size_t last(std::size_t e) const noexcept { return last_[e]; }
  /// Whether some elements have fewer devices to stand on than others.
  [[nodiscard]] bool any_fixed() const noexcept { return any_fixed_; }

  [[nodiscard]] double communication(ticks count) const { return edge_scale_.figure(count); }
  [[nodiscard]] double variables(ticks count) const { return variable_scale_.figure(count); }
  [[nodiscard]] double operations(ticks count) const { return operation_scale_.figure(count); }

  /// What a placement cuts.
  [[nodiscard]] ticks cut(const std::vector<std::uint32_t>& device_of) const;

 private:
  static engine::tick_scale scale_of(const std::vector<double>& all);
  void choose_ticks(const communication_weights& figures);
  /// A k-th of `all` times `imbalance`, and what rounding may have taken from that.
  [[nodiscard]] ticks most_of(ticks all, double imbalance) const;

  void join(const operator_graph& graph, const communication_weights& figures);

  /// Tells on which devices elements may stand: what is fixed, and what edges make of that.
  void fix(const operator_graph& graph);

  contraction parts_;
  std::size_t devices_;
  bool may_empty_;
  bool ordered_;
  bool any_fixed_ = false;
  engine::tick_scale variable_scale_{};
  engine::tick_scale operation_scale_{};
  engine::tick_scale edge_scale_{};
  std::vector<weights> of_{};
  weights most_{};
  rows<link> links_{};
  std::vector<std::size_t> first_{};
  std::vector<std::size_t> last_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/communication_elements.ipp>
#endif
