// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_placed_length.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/check_placed.hpp>
#include <stagecut/joint/detail/length_search.hpp>
#include <stagecut/joint/detail/placed_program.hpp>
#include <stagecut/joint/placed_layers.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<placed_cut> minimize_placed_length_fn::operator()(const placed_layers& layers,
                                                                        const placed_request& request) const {
  using answer = outcome<placed_cut>;
  detail::check_placed("minimize_placed_length", layers, request.machines);
  if (request.microbatches == 0) {
    detail::fail(argument_error("minimize_placed_length", "request.microbatches", "0", "must be at least 1"));
  }
  detail::search_clock clock(request.limits);
  detail::placed_program program(layers, request.machines, request.at_most, request.all_reduce, clock);
  const auto devices = static_cast<double>(request.machines.count * request.machines.devices);
  detail::length_search search(program, program.terms(), request.microbatches, layers.times.back() / devices, clock);
  search.run();
  if (!search.has_cut()) {
    return search.is_proved() ? answer::infeasible({reason::cause::constraint, 0, 0, "no stages lead from the input"})
                              : answer::unknown({reason::cause::limit_reached});
  }
  placed_cut cut{std::move(search.best()), search.cost(), search.bound(), search.searches()};
  for (std::size_t s = cut.stages.size(); s-- > 0;) {  // the program has messages behind stages
    cut.stages[s].option.message = s > 0 ? cut.stages[s - 1].option.message : 0;
  }
  return search.is_proved() ? answer::optimal(std::move(cut)) : answer::feasible(std::move(cut));
}

}  // namespace stagecut::inline STAGECUT_ABI
