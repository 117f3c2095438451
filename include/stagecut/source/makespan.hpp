// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/makespan/detail/cut_of_order.ipp>
#include <stagecut/makespan/detail/makespan_problem.ipp>
#include <stagecut/makespan/detail/minimize_cut_and_schedule.ipp>
#include <stagecut/makespan/detail/minimize_makespan.ipp>
#include <stagecut/makespan/detail/plain_orders.ipp>
#include <stagecut/makespan/detail/remaining_cuts.ipp>
