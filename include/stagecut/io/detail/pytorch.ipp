// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/pytorch.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The names of every stage's modules; rejects what PyTorch's tracing cannot express, regardless of the edges between
/// stages.
[[nodiscard]] inline std::vector<std::vector<std::string_view>> traced_modules(std::string_view function,
                                                                               std::string_view format, const plan& p) {
  check_parts(function, p);
  check_devices(format, p, recomputation_rule::none, stage_devices::one);
  check_names(format, p);
  check_tied(format, p);
  const std::vector<std::size_t> stages = stage_of_layers(p);
  std::vector<bool> any(p.stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) any[stages[i]] = any[stages[i]] || !p.profile.layers[i].is_backward;
  std::vector<std::vector<std::string_view>> result;
  for (std::size_t s = 0; s < any.size(); ++s) {
    if (!any[s]) refuse(format, joined({"stage ", s, " has no layer of the forward pass"}));
    result.push_back(module_names(p, s));
  }
  return result;
}

STAGECUT_DECL std::string_view torch_class(const plan& p) {
  const target_schedule* const known = find_schedule(entry_of(framework::pytorch), p.schedule.name);
  if (known == nullptr) return "";
  const bool named = known->named == nullptr || known->named(p.devices, p.schedule.microbatches, p.schedule.group);
  return named ? known->called : "";
}

}  // namespace detail

STAGECUT_DECL std::string as_split_spec(const plan& p) {
  detail::check_intervals("pytorch", p);
  detail::check_chunks("pytorch", p);
  const auto modules = detail::traced_modules("as_split_spec", "pytorch", p);
  const auto split = [&](std::size_t i) {
    return detail::joined({detail::quoted(modules[i + 1][0]), ": SplitPoint.BEGINNING"});
  };
  const std::string spec =
      detail::joined({"split_spec={", detail::sequence_text(modules.size() - 1, ", ", split), "}"});
  if (p.schedule.microbatches == 0 || (p.schedule.name.empty() && p.schedule.orders.empty())) return spec;
  const std::string whole = stagecut::detail::whole_obstacle(entry_of(framework::pytorch), p);
  if (!whole.empty()) detail::refuse("pytorch", whole);
  const std::string_view name = detail::torch_class(p);
  const std::string class_text = name.empty() ? std::string("_PipelineScheduleRuntime")
                                              : detail::joined({"get_schedule_class(", detail::quoted(name), ")"});
  return detail::joined(
      {spec, "\nschedule = ", class_text, "(", p.stages_per_rank == 1 && !name.empty() ? "stage" : "stages",
       ", n_microbatches=", p.schedule.microbatches, ")",
       name.empty() ? "\nschedule._load_csv(\"schedule.csv\")  # of simulate PLAN --format torch-csv" : ""});
}

STAGECUT_DECL std::string as_split_module(const plan& p) {
  const auto modules = detail::traced_modules("as_split_module", "split-module", p);
  std::string text = "stage_of = {\n";
  for (std::size_t s = 0; s < modules.size(); ++s) {
    for (const std::string_view name : modules[s]) {
      text += detail::joined({"    ", detail::quoted(name), ": ", s, ",\n"});
    }
  }
  return text.append("}");
}

}  // namespace stagecut::inline STAGECUT_ABI::io
