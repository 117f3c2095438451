// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <cstddef>

#include "enumeration.hpp"

/// How many of the instances had an answer.
struct tally {
  int feasible = 0;
  int infeasible = 0;
};

template <class Model, class Allowed>
void compare(const Model& cost, std::size_t k, const Allowed& allowed, stagecut::empty_stages empty, tally& seen) {
  const bool answered = oracle::agree(stagecut::minimize_bottleneck(cost, k, allowed, empty),
                                      oracle::best_cut_of(cost, k, empty, allowed, oracle::worst));
  ++(answered ? seen.feasible : seen.infeasible);
}
