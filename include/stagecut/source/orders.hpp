// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/orders/detail/implied_work.ipp>
#include <stagecut/orders/detail/mixed_orders.ipp>
#include <stagecut/orders/detail/order_bytes.ipp>
#include <stagecut/orders/detail/order_heads.ipp>
#include <stagecut/orders/detail/order_proof.ipp>
#include <stagecut/orders/detail/order_ticks.ipp>
#include <stagecut/orders/detail/pass_precedence.ipp>
#include <stagecut/orders/detail/schedule_problem.ipp>
