// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/formats.hpp>

#include <string>
#include <string_view>

#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/run_settings.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL const format* find_format(std::string_view name) { return stagecut::find_name(formats, name); }

STAGECUT_DECL std::string settings_obstacle(framework target, const profile& model) {
  return target == framework::none ? "" : detail::settings_obstacle(entry_of(target), detail::settings_of(model));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
