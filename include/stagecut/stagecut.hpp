// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// The algorithms that need no other library. `<stagecut/testing/…>` checks models, `<stagecut/io/…>` reads profiles; every
/// header also stands alone.

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/chain_partition.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/version.hpp>
