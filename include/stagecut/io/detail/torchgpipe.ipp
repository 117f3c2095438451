// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/torchgpipe.hpp>

#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A plan for GPipe in one process: `format` is the requested format, `type` the framework's class.
[[nodiscard]] inline std::string balance_text(std::string_view format, std::string_view type, const plan& p) {
  check_no_stage_empty(format, p);
  const std::string checkpoint =
      p.memory.checkpoint.empty() ? to_string(checkpointing::except_last) : p.memory.checkpoint;
  if (stagecut::find_name(checkpointing_names, checkpoint) == nullptr) {
    refuse(format, joined({"checkpoint mode ", in_quotes(checkpoint), " is not known to it"}));
  }
  const std::string balance = joined({"balance=", list_text(p.cuts.sizes())});
  if (p.schedule.microbatches == 0) return balance;
  return joined({balance, "\nmodel = ", type, "(model, balance, chunks=", p.schedule.microbatches, ", checkpoint='",
                 checkpoint, "')"});
}

}  // namespace detail

STAGECUT_DECL std::string as_torchgpipe(const plan& p) {
  detail::check_target_modules("as_torchgpipe", framework::torchgpipe, p);
  return detail::balance_text("torchgpipe", "GPipe", p);
}

STAGECUT_DECL std::string as_fairscale(const plan& p) {
  detail::check_target_modules("as_fairscale", framework::fairscale, p);
  return detail::balance_text("fairscale", "Pipe", p);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
