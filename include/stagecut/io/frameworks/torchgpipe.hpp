// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for torchgpipe: the number of layers of every stage, and the call that uses them if the number of microbatches
/// is known. Each layer is a child of an `nn.Sequential` named `model`.
///
/// @return  one or two lines of Python
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for several stages per
///          device, a stage without layers, stages not assigned to devices in order, a schedule other than `gpipe`,
///          parameters shared between stages, a checkpoint mode other than `always`, `except_last` (the default if the
///          plan has none) and `never`
///
/// Source: C. Kim et al., torchgpipe, arXiv:2004.09910, 2020; the constructor of its `GPipe`.
[[nodiscard]] STAGECUT_DECL std::string as_torchgpipe(const plan& p);

/// A plan for FairScale: as `as_torchgpipe`, with its class, `fairscale.nn.Pipe`.
///
/// @return  one or two lines of Python
/// @throws  argument_error and not_representable as `as_torchgpipe`
///
/// Source: FairScale, the constructor of `Pipe` in `fairscale/nn/pipe/pipe.py`.
[[nodiscard]] STAGECUT_DECL std::string as_fairscale(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torchgpipe.ipp>
#endif
