// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>
#include <stagecut/graph/detail/operator_links.hpp>
#include <stagecut/graph/detail/plan_moves.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Tries random moves of elements, each with a simulation, and keeps those after which an iteration finishes earlier,
/// or equally early with more even stages.
class makespan_refiner {
 public:
  /// @param stage_of  stage of each operator: an assignment that `make_stage_pipeline` accepts and that splits no
  ///                  element
  /// @param pinned    for each stage, whether an operator is fixed to it; the objects must outlive this one
  makespan_refiner(const operator_graph& graph, const contraction& elements, const graph_makespan_request& request,
                   const std::vector<std::size_t>& stage_of, const std::vector<bool>& pinned)
      : elements_(elements),
        devices_(request.devices),
        links_(graph),
        pricer_(request.microbatches, request.transfers == transfer_kind::link, request.memory_limit.for_all(),
                request.at_most, pinned),
        random_(request.search.seed),
        fixed_(elements.elements()),
        moves_(elements, pricer_, fixed_),
        point_{moving_stages(graph, links_, elements, stage_of, request.devices)} {
    for (std::size_t e = 0; e < fixed_.size(); ++e) {
      for (const std::size_t v : elements.operators_of(e)) {
        if (graph.operators[v].stage != graph_operator::none) fixed_[e] = true;
      }
      if (!fixed_[e]) free_.push_back(static_cast<std::uint32_t>(e));
    }
    for (std::size_t s = 0; s < devices_; ++s) point_.order.push_back(s);
    static_cast<void>(pricer_.price(point_, plan_pricer::counts::chosen));
    static_cast<void>(pricer_.price(point_, plan_pricer::counts::exhausted));
  }

  /// Tries to move every element once, in random order, to the stages of its predecessors and successors and to those
  /// next to its own, until that many moves were tried; then chooses warm-up counts again.
  /// @return  whether the plan improved
  bool pass(std::size_t samples, const function_ref<bool()>& stop = {}) {
    const plan_value before = point_.value;
    for (std::size_t i = free_.size(); i > 1; --i) std::swap(free_[i - 1], free_[random_.below(i)]);
    std::size_t tried = 0;
    for (const std::uint32_t e : free_) {
      if (tried >= samples || (stop && stop())) break;
      find_targets(e);
      for (const std::size_t to : targets_) {
        if (point_.stages.stage_of_element(e) == to) continue;
        ++tried;
        if (moves_.alone(point_, e, to) || moves_.with_others(point_, e, to)) ++kept_;
      }
    }
    static_cast<void>(pricer_.price(point_, plan_pricer::counts::exhausted));
    return point_.value.better_than(before);
  }

  [[nodiscard]] const plan_point& point() const noexcept { return point_; }
  /// Moves kept; moving an element together with others counts once.
  [[nodiscard]] std::size_t moves() const noexcept { return kept_; }

 private:
  void find_targets(std::size_t e) {
    targets_.clear();
    const auto add = [&](std::size_t s) {
      for (const std::size_t target : targets_) {
        if (target == s) return;
      }
      targets_.push_back(s);
    };
    for (const precedence::element other : elements_.below().predecessors(e))
      add(point_.stages.stage_of_element(other));
    for (const precedence::element other : elements_.below().successors(e)) add(point_.stages.stage_of_element(other));
    const std::size_t here = point_.stages.stage_of_element(e);
    for (std::size_t i = 0; i < devices_; ++i) {
      if (point_.order[i] != here) continue;
      if (i > 0) add(point_.order[i - 1]);
      if (i + 1 < devices_) add(point_.order[i + 1]);
    }
  }

  const contraction& elements_;
  std::size_t devices_;
  operator_links links_;
  plan_pricer pricer_;
  engine::seeded random_;
  std::vector<bool> fixed_;
  std::vector<std::uint32_t> free_{};  // elements that may move
  plan_moves moves_;
  plan_point point_;
  std::vector<std::size_t> targets_{};
  std::size_t kept_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
