// SPDX-License-Identifier: BSL-1.0
// The same headers again: what is not inline is defined twice.
#include <stagecut/fit/fit_link.hpp>
#include <stagecut/graph/make_operator_graph.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/counted.hpp>

stagecut::cuts cut_elsewhere(const stagecut::profile& profile) {
  return stagecut::minimize_bottleneck(stagecut::prefix_sums(profile.times()), 3)->cuts;
}
