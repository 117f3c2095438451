// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A plan for GPipe in one process: `format` is what was asked for, `type` the framework's class.
[[nodiscard]] inline std::string balance_text(std::string_view format, std::string_view type, const plan& p) {
  check_no_stage_empty(format, p);
  const std::string checkpoint =
      p.memory.checkpoint.empty() ? to_string(checkpointing::except_last) : p.memory.checkpoint;
  if (stagecut::find_name(checkpointing_words, checkpoint) == nullptr) {
    refuse(format, joined({"checkpoint mode ", in_quotes(checkpoint), " is not known to it"}));
  }
  const std::string balance = joined({"balance=", list_text(p.cuts.sizes())});
  if (p.schedule.microbatches == 0) return balance;
  return joined({balance, "\nmodel = ", type, "(model, balance, chunks=", p.schedule.microbatches, ", checkpoint='",
                 checkpoint, "')"});
}

}  // namespace detail

/// A plan for torchgpipe: the number of layers of every stage, and the call that takes them where the number of
/// microbatches is known. Each layer is a child of the `nn.Sequential` that is called `model` there.
///
/// @return  one or two lines of Python
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `gpipe`, parameters shared
///          between stages, a checkpoint mode but `always`, `except_last` (taken where the plan says none) and `never`
///
/// Source: C. Kim et al., torchgpipe, arXiv:2004.09910, 2020; the constructor of its `GPipe`.
[[nodiscard]] inline std::string as_torchgpipe(const plan& p) {
  detail::check_target_modules("as_torchgpipe", framework::torchgpipe, p);
  return detail::balance_text("torchgpipe", "GPipe", p);
}

/// A plan for FairScale: as `as_torchgpipe`, with its class, `fairscale.nn.Pipe`.
///
/// @return  one or two lines of Python
/// @throws  argument_error and not_representable as `as_torchgpipe`
///
/// Source: FairScale, the constructor of `Pipe` in `fairscale/nn/pipe/pipe.py`.
[[nodiscard]] inline std::string as_fairscale(const plan& p) {
  detail::check_target_modules("as_fairscale", framework::fairscale, p);
  return detail::balance_text("fairscale", "Pipe", p);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
