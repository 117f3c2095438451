// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/search/sweep.hpp>

#include <cstddef>

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

STAGECUT_DECL void kept_call::operator()(std::size_t i) const {
  try {
    (*each)(i);
  } catch (...) {
    errors->keep(i);
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
