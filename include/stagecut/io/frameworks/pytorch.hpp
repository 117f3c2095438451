// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline v0::io {

namespace detail {

inline void check_modules(std::string_view format, const plan& p) {
  check_no_stage_empty(format, p);
  check_names(format, p);
  check_tied(format, p);
}

}  // namespace detail

/// A plan for PyTorch's `torch.distributed.pipelining.pipeline`: where it splits a model. It numbers the stages; which
/// device runs which is its schedule's affair.
///
/// @return  one line of Python: the first module of every stage but the first
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for a stage without
///          layers, a module whose name is empty, is no UTF-8 or stands twice, parameters shared between stages
///
/// Source: PyTorch, `pipeline` in `torch/distributed/pipelining/_IR.py`.
[[nodiscard]] inline std::string as_split_spec(const plan& p) {
  detail::check_plan("as_split_spec", "pytorch", p);
  detail::check_modules("pytorch", p);
  const auto split = [&](std::size_t i) {
    return detail::joined({detail::quoted(detail::module_names(p, i + 1)[0]), ": SplitPoint.BEGINNING"});
  };
  return detail::joined({"split_spec={", detail::sequence_text(p.cuts.stages() - 1, ", ", split), "}"});
}

/// A plan for PyTorch's `torch.fx.passes.split_module`: the stage of every module, for a callback to look up the module
/// that a node belongs to.
///
/// @return  lines of Python, a dictionary
/// @throws  argument_error and not_representable as `as_split_spec`
///
/// Source: PyTorch, `torch/fx/passes/split_module.py`.
[[nodiscard]] inline std::string as_split_module(const plan& p) {
  detail::check_plan("as_split_module", "split-module", p);
  detail::check_modules("split-module", p);
  std::string text = "stage_of = {\n";
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    for (const std::string_view name : detail::module_names(p, s)) {
      text += detail::joined({"    ", detail::quoted(name), ": ", s, ",\n"});
    }
  }
  return text.append("}");
}

}  // namespace stagecut::inline v0::io
