// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/not_representable.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// What the writers of formats throw, as `make_plan` does where a target cannot say a model.
using stagecut::not_representable;

}  // namespace stagecut::inline STAGECUT_ABI::io
