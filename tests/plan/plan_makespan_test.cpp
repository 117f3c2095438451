// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/plan_makespan.hpp>

#include <doctest/doctest.h>

#include "known_profile.hpp"

using known_profile::known;
using stagecut::plan_request;

TEST_CASE("what was proved of a cut is what its plan says, not what its simulation would like") {
  const plan_request request{.devices = 4, .microbatches = 8};
  const auto order = stagecut::detail::schedule_of_request(request);
  const stagecut::training_memory memory(known, request.memory);
  const stagecut::chain_model chain(known);
  const auto planned = [&](double makespan, double bound, stagecut::state proved) {
    stagecut::makespan_cut found;
    found.cuts = stagecut::cuts{0, 3, 5, 6, 8};
    found.makespan = makespan;
    found.bound = bound;
    return stagecut::detail::plan_of(known, request, order, memory, chain, found, proved).objective;
  };
  using stagecut::objective_value;
  using stagecut::state;
  CHECK(planned(573, 573, state::optimal) == objective_value{"makespan", "time", 573, 573, state::optimal});
  CHECK(planned(573, 500, state::feasible) == objective_value{"makespan", "time", 573, 500, state::feasible});
  CHECK(planned(500, 500, state::optimal) == objective_value{"makespan", "time", 573, 500, state::feasible});
  CHECK(planned(574, 574, state::optimal) == objective_value{"makespan", "time", 573, 573, state::optimal});
}
