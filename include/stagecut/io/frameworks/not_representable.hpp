// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/not_representable.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Thrown by the writers of formats, and by `make_plan` if a target cannot express a model.
using stagecut::not_representable;

}  // namespace stagecut::inline STAGECUT_ABI::io
