// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// PyTorch's class for a plan's schedule; empty: it has none, and reads the order from a file.
[[nodiscard]] STAGECUT_DECL std::string_view torch_class(const plan& p);

}  // namespace detail

/// A plan for PyTorch's `torch.distributed.pipelining.pipeline`: where it splits a model that runs its layers in the
/// profile's order. It numbers the stages; its schedule assigns them to devices. Stages may feed any later stage;
/// operators of the backward pass are omitted, since PyTorch generates them.
///
/// @return  a line of Python: the first module of every stage but the first; if the plan has a schedule, also its
///          construction from a rank's stages: `schedule.csv` is a file with the output of `as_torch_schedule`
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for stages that are not
///          intervals in the order of the layers (`as_split_module` can express those), a stage without layers of the
///          forward pass, a module whose name is empty, not UTF-8 or repeated, parameters shared between stages
///
/// Source: PyTorch, `pipeline` in `torch/distributed/pipelining/_IR.py`.
[[nodiscard]] STAGECUT_DECL std::string as_split_spec(const plan& p);

/// A plan for PyTorch's `torch.fx.passes.split_module`: the stage of every module, for a callback to look up the module
/// of a node. Stages need not be intervals in the order of the layers, nor a chain; operators of the backward pass are
/// omitted, since PyTorch generates them.
///
/// @return  lines of Python: a dictionary, stage by stage
/// @throws  argument_error and not_representable as `as_split_spec`, except for the order of layers
///
/// Source: PyTorch, `torch/fx/passes/split_module.py`.
[[nodiscard]] STAGECUT_DECL std::string as_split_module(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pytorch.ipp>
#endif
