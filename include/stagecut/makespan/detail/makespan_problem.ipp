// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/makespan_problem.hpp>

#include <cstddef>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::size_t makespan_problem::items() const noexcept { return problem_->chain.items; }

STAGECUT_DECL std::size_t makespan_problem::stages() const noexcept { return problem_->chain.stages; }

STAGECUT_DECL const stagecut::schedule& makespan_problem::schedule() const noexcept { return problem_->order; }

STAGECUT_DECL transfer_kind makespan_problem::transfers() const noexcept { return problem_->transfers; }

STAGECUT_DECL double makespan_problem::forward(std::size_t s, std::size_t first, std::size_t last) const noexcept {
  return problem_->chain.pass(engine::tick_f, s, first, last) * problem_->chain.tick;
}

STAGECUT_DECL double makespan_problem::backward(std::size_t s, std::size_t first, std::size_t last) const noexcept {
  return problem_->chain.pass(engine::tick_b, s, first, last) * problem_->chain.tick +
         backward_weight(s, first, last);
}

STAGECUT_DECL double makespan_problem::backward_weight(std::size_t s, std::size_t first,
                                                       std::size_t last) const noexcept {
  const engine::chain_ticks& chain = problem_->chain;
  return chain.splits ? chain.pass(engine::tick_w, s, first, last) * chain.tick : 0;
}

STAGECUT_DECL double makespan_problem::transfer(std::size_t s, std::size_t cut) const noexcept {
  return problem_->chain.has_messages ? problem_->chain.message(s, cut) * problem_->chain.tick : 0;
}

STAGECUT_DECL bool makespan_problem::allows(std::size_t s, std::size_t first, std::size_t last) const {
  return problem_->rules.allows(s, first, last);
}

STAGECUT_DECL bool makespan_problem::allows(view<const std::size_t> points) const {
  return points.size() == stages() + 1 && engine::is_cut(points, items()) &&
         engine::allowed_cut(problem_->order, problem_->rules, points);
}

STAGECUT_DECL double makespan_problem::makespan(view<const std::size_t> points) const {
  if (points.size() != stages() + 1 || !engine::is_cut(points, items())) {
    detail::fail(argument_error("makespan_problem::makespan", "points", "{…}",
                                detail::joined({"must be a cut of ", items(), " items into ", stages(), " stages"})));
  }
  return (*simulator_)(points)*problem_->chain.tick;
}

}  // namespace stagecut::inline STAGECUT_ABI
