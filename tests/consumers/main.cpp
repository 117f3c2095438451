// SPDX-License-Identifier: BSL-1.0
#include <stagecut/fit/fit_link.hpp>
#include <stagecut/graph/make_operator_graph.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/counted.hpp>

#include <cstdio>

stagecut::cuts cut_elsewhere(const stagecut::profile& profile);

int main() {
  const auto profile = stagecut::io::parse_profile("time\n0.4\n1.1\n1.1\n1.1\n1.1\n2.7\n", "list");
  const stagecut::prefix_sums cost(profile.times());
  const auto here = stagecut::minimize_bottleneck(cost, 3)->cuts;
  const auto link = stagecut::fit_link({{0, 1}, {8, 5}}).link;
  if (link(4) < 2.9 || link(4) > 3.1 || !stagecut::testing::check_axioms(cost) || here != cut_elsewhere(profile))
    return 1;
  std::printf("two translation units agree: cut at %zu %zu\n", here[1], here[2]);
  return 0;
}
